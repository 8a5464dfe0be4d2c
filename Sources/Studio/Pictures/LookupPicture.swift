import RoomCodecs

extension LookupTable {
  /// How a picture contains a table.
  public enum PictureLayout: Sendable, Hashable {
    /// All colours one after another, row by row: 8x8, 27x27, 64x64, 125x125, 216x216, 343x343 or 512x512 pixels.
    case hald
    /// 512x512 pixels: eight rows of eight squares, one for each blue; red grows to the right and green downwards.
    case squares
  }

  /// Reads a PNG file with a table, as image editors export it.
  /// - Parameters:
  ///   - file: the bytes of the file.
  ///   - layout: how the picture contains the table; nil for the layout in which its colours are closer to the unchanged ones.
  /// - Throws: ``LookupError``
  public init(png file: some Collection<UInt8>, layout: PictureLayout? = nil) throws(LookupError) {
    guard file.count <= Picture.maximumFileBytes else {
      throw .tooLarge(bytes: file.count, limit: Picture.maximumFileBytes)
    }
    let pixels: PixelData
    do { pixels = try PixelData(png: Array(file)) } catch { throw .picture(error.description) }
    let tables = (layout.map { [$0] } ?? [.hald, .squares]).compactMap { LookupTable(pixels, $0) }
    guard let table = tables.min(by: { $0.change < $1.change }) else {
      throw .pictureSize(width: pixels.width, height: pixels.height)
    }
    self = table
  }

  /// Returns nil if the picture does not have the size of the layout.
  private init?(_ pixels: PixelData, _ layout: PictureLayout) {
    guard pixels.width == pixels.height else { return nil }
    let side: Int
    switch layout {
    case .squares:
      guard pixels.width == 512 else { return nil }
      side = 64
    case .hald:
      guard let level = (2...8).first(where: { $0 * $0 * $0 == pixels.width }) else { return nil }
      side = level * level
    }
    var colours: [Float] = []
    colours.reserveCapacity(side * side * side * 3)
    pixels.rgba.withUnsafeBufferPointer { bytes in
      for place in 0..<side * side * side {
        var pixel = place
        if layout == .squares {
          let (red, green, blue) = (place % 64, place / 64 % 64, place / 4096)
          pixel = (blue / 8 * 64 + green) * 512 + blue % 8 * 64 + red
        }
        for channel in 0..<3 { colours.append(Float(bytes[pixel * 4 + channel]) / 255) }
      }
    }
    self.init(side: side, colours: colours)
  }

  /// The sum of all differences to the unchanged colours.
  private var change: Float {
    let step = 1 / Float(side - 1)
    var sum: Float = 0
    for place in 0..<side * side * side {
      let own = (place % side, place / side % side, place / (side * side))
      sum +=
        abs(colours[place * 3] - Float(own.0) * step) + abs(colours[place * 3 + 1] - Float(own.1) * step)
        + abs(colours[place * 3 + 2] - Float(own.2) * step)
    }
    return sum
  }
}
