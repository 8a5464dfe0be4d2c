public import Codecs

/// What is shown in the place of somebody whose camera is off.
public enum Placeholder {
  /// Dark grey.
  public static let standardColour = YUVColour(y: 40, u: 130, v: 126)

  /// A disc with the first letter of a name, the name beneath it. Without a font the disc is empty.
  /// - Parameters:
  ///   - width: pixels, as is `height`: best those of the frame that it is shown in.
  ///   - colour: of the background; the disc is a brighter one.
  ///   - name: where it is nil or empty, there is neither disc nor text.
  ///   - font: a font file; nil for the standard one.
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
