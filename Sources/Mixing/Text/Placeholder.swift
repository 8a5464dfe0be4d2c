public import RoomCodecs

/// The picture shown for a participant whose camera is off.
public enum Placeholder {
  /// Dark grey.
  public static let standardColour = YUVColour(y: 40, u: 130, v: 126)

  /// Returns a disc with the first letter of a name, and the name below it. Without a font the disc is empty.
  /// - Parameters:
  ///   - width: The width in pixels; `height` is the height. The sizes should match the frame in which the picture is shown.
  ///   - colour: The background colour; the disc is brighter.
  ///   - name: The name; if it is nil or empty, there is neither disc nor text.
  ///   - font: The path of a font file; nil for the default font.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public static func picture(
    width: Int, height: Int, colour: YUVColour = standardColour, name: String? = nil, font: String? = nil
  ) throws(CodecError) -> VideoFrame {
    var picture = try VideoFrame(width: width, height: height)
    picture.fill(colour)
    let bounds = PixelFrame(x: 0, y: 0, width: width, height: height)
    guard let letter = name?.first(where: { !$0.isWhitespace }), let name else { return picture }
    let diameter = min(width, height) * 2 / 5 & ~1
    let centre = (x: width / 2 & ~1, y: height * 2 / 5 & ~1)
    let bright = YUVColour(y: UInt8(min(235, Int(colour.y) + 60)), u: colour.u, v: colour.v)
    if let disc = disc(diameter, bright, x: centre.x - diameter / 2, y: centre.y - diameter / 2) {
      picture.blend(disc, clip: bounds)
    }
    let plain = TextStyle(outlineWidth: 0)
    func draw(_ text: String, size: Int, y: Int, width limit: Int) {
      guard TextRenderer.sizes.contains(size), let renderer = try? TextRenderer(font: font, size: size),
        var overlay = renderer.overlay(text, style: plain, width: limit)
      else { return }
      overlay.x = (width - overlay.picture.width) / 2 & ~1
      overlay.y = (y - overlay.picture.height / 2) & ~1
      picture.blend(overlay, clip: bounds)
    }
    draw(letter.uppercased(), size: min(diameter / 2, 256), y: centre.y, width: diameter)
    draw(name, size: min(diameter / 5, 64), y: centre.y + diameter * 3 / 4, width: width * 9 / 10)
    return picture
  }

  private static func disc(_ diameter: Int, _ colour: YUVColour, x: Int, y: Int) -> Overlay? {
    guard var picture = try? VideoFrame(width: diameter, height: diameter) else { return nil }
    picture.fill(colour)
    let radius = Double(diameter) / 2
    let alpha = (0..<diameter * diameter).map { place -> UInt8 in
      let (dx, dy) = (Double(place % diameter) + 0.5 - radius, Double(place / diameter) + 0.5 - radius)
      return UInt8(min(max(radius - (dx * dx + dy * dy).squareRoot() + 0.5, 0), 1) * 255)
    }
    return Overlay(picture: picture, alpha: alpha, x: x, y: y)
  }
}
