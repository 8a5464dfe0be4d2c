// Validation of a merge job's parameters.

extension MergeParams {
  /// The largest number of layouts.
  public static let maximumLayouts = 32
  /// The largest number of texts.
  public static let maximumTexts = 8

  /// The first validation error, in a sentence that names the field; nil if the parameters are valid.
  public var validationError: String? {
    if !(1...64).contains(jobId.rawValue.utf8.count) { return "jobId: 1 to 64 bytes" }
    if let publishAs, !(1...64).contains(publishAs.rawValue.utf8.count) { return "publishAs: 1 to 64 bytes" }
    return sizeValidationError
      ?? Self.validationError("fps", fps, 1...60) ?? Self.validationError("videoKbps", videoKbps, 50...20_000)
      ?? Self.validationError("minKbps", minKbps, 10...20_000) ?? Self.validationError("gop", gop, 1...600)
      ?? Self.validationError("audioKbps", audioKbps, 32...320) ?? rateValidationError ?? overlayValidationError
      ?? Self.validationError(about: layouts, hasPictures: width != nil)
  }

  private var sizeValidationError: String? {
    guard width != nil || height != nil else { return nil }
    for (name, value) in [("width", width), ("height", height)] {
      guard let value else { return "\(name): a picture has both width and height" }
      guard (16...1920).contains(value), value % 2 == 0 else { return "\(name): an even number of pixels from 16 to 1920" }
    }
    return nil
  }

  private var rateValidationError: String? {
    if let minKbps, minKbps > videoKbps ?? .max { return "minKbps: at most videoKbps" }
    if let preset, !EncoderPreset.all.contains(preset) {
      return "preset: one of \(EncoderPreset.all.map(\.rawValue).joined(separator: ", "))"
    }
    return nil
  }

  private var overlayValidationError: String? {
    if let background {
      if background.colour != nil, background.image != nil { return "background: a colour or an image" }
      if let colour = background.colour, RGBColour(colour) == nil { return "background.colour: #RRGGBB" }
    }
    let marks = watermarks ?? []
    if marks.count > 8 { return "watermarks: at most 8" }
    for (index, mark) in marks.enumerated() {
      let name = "watermarks[\(index)]"
      if let validationError = Self.validationError("\(name).x", mark.x, -8192...8192) ?? Self.validationError(
        "\(name).y", mark.y, -8192...8192)
        ?? Self.validationError("\(name).width", mark.width, 1...1920)
        ?? Self.validationError("\(name).height", mark.height, 1...1920)
      {
        return validationError
      }
      if let opacity = mark.opacity, !(0...1).contains(opacity) { return "\(name).opacity: 0 to 1" }
    }
    return Self.validationError(about: texts ?? [], atMost: Self.maximumTexts)
  }

  /// The end of the year 9999, in milliseconds since 1970.
  private static let maximumTime: Int64 = 253_402_300_799_999

  /// Returns the first validation error of a list of texts, in a sentence that names the field; nil if they are valid.
  static func validationError(about texts: [MergeText], atMost maximum: Int) -> String? {
    if texts.count > maximum { return "texts: at most \(maximum)" }
    for (index, text) in texts.enumerated() {
      let name = "texts[\(index)]"
      if (text.text != nil) == (text.clock == true) { return "\(name): a text, or clock: true" }
      if let until = text.until, text.clock != true || !(0...maximumTime).contains(until) {
        return "\(name).until: a time in milliseconds since 1970, with clock: true"
      }
      if let text = text.text, text.unicodeScalars.count > 64 { return "\(name).text: at most 64 characters" }
      if let colour = text.colour, RGBColour(colour) == nil { return "\(name).colour: #RRGGBB" }
      if let validationError = Self.validationError("\(name).x", text.x, -8192...8192) ?? Self.validationError(
        "\(name).y", text.y, -8192...8192)
        ?? Self.validationError("\(name).size", text.size, 8...200)
      {
        return validationError
      }
    }
    return nil
  }

  /// Returns the first validation error of a list of layouts, in a sentence that names the field; nil if they are valid.
  /// - Parameters:
  ///   - layouts: the layouts.
  ///   - hasPictures: whether the mix has a canvas.
  public static func validationError(about layouts: [TrackLayout], hasPictures: Bool) -> String? {
    if layouts.count > maximumLayouts { return "layouts: at most \(maximumLayouts)" }
    for (index, layout) in layouts.enumerated() {
      if let validationError = layout.validationError("layouts[\(index)]", hasPictures: hasPictures) { return validationError }
    }
    return nil
  }

  fileprivate static func validationError(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) -> String? {
    guard let value, !range.contains(value) else { return nil }
    return "\(name): \(range.lowerBound) to \(range.upperBound)"
  }
}

extension TrackLayout {
  fileprivate func validationError(_ name: String, hasPictures: Bool) -> String? {
    if (trackId == nil) == (userId == nil) { return "\(name): either a trackId or a userId" }
    if let fillMode, !LayoutFillMode.all.contains(fillMode) { return "\(name).fillMode: fill, fit or stretch" }
    if let gain, !(0...4).contains(gain) { return "\(name).gain: 0 to 4" }
    if let placeholder, placeholder.unicodeScalars.count > 64 { return "\(name).placeholder: at most 64 characters" }
    let given = [x, y, width, height].compactMap { $0 }.count
    if given != 0, given != 4 { return "\(name): a frame has x, y, width and height" }
    if given == 4, !hasPictures { return "\(name): a mix without width and height has no frames" }
    return MergeParams.validationError("\(name).x", x, -8192...8192) ?? MergeParams.validationError(
      "\(name).y", y, -8192...8192)
      ?? MergeParams.validationError("\(name).width", width, 1...8192) ?? MergeParams.validationError(
        "\(name).height", height, 1...8192)
      ?? MergeParams.validationError("\(name).zIndex", zIndex, -1000...1000)
      ?? MergeParams.validationError("\(name).cornerRadius", cornerRadius, 0...4096)
  }
}

/// An RGB colour in the notation of the web.
public struct RGBColour: Sendable, Hashable {
  /// The red component, 0…255.
  public var red: UInt8
  /// The green component, 0…255.
  public var green: UInt8
  /// The blue component, 0…255.
  public var blue: UInt8

  /// Creates a colour from `#RRGGBB`. Returns nil for any other text.
  public init?(_ text: String) {
    let digits = text.dropFirst()
    guard text.first == "#", digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16)
    else {
      return nil
    }
    red = UInt8(truncatingIfNeeded: value >> 16)
    green = UInt8(truncatingIfNeeded: value >> 8)
    blue = UInt8(truncatingIfNeeded: value)
  }
}
