/// The size of a mixed picture in pixels.
public struct CanvasSize: Codable, Sendable, Hashable {
  /// The valid range of each side in pixels. A side must also be even.
  public static let sides = 64...1920
  /// 720x1280 pixels: a phone held upright.
  public static let portrait = CanvasSize(width: 720, height: 1280)

  /// The width in pixels: even, in ``sides``.
  public var width: Int
  /// The height in pixels: even, in ``sides``.
  public var height: Int

  /// Creates a size. The size is not validated; see ``validationError``.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The first validation error, which begins with the field's name; nil if the value is valid.
  public var validationError: String? {
    for (name, side) in [("width", width), ("height", height)] {
      guard Self.sides.contains(side) else {
        return "\(name): \(side) pixels; must be \(Self.sides.lowerBound) to \(Self.sides.upperBound)"
      }
      guard side % 2 == 0 else { return "\(name): \(side) is odd; must be even" }
    }
    return nil
  }
}

/// The frame of a seat's picture, as fractions of the canvas: 0,0 is the top left corner, 1,1 the bottom right.
public struct SeatFrame: Codable, Sendable, Hashable {
  /// The left edge, 0…1.
  public var x: Double
  /// The top edge, 0…1.
  public var y: Double
  /// The width, 0.01…1. The frame must not extend beyond the canvas.
  public var width: Double
  /// The height, 0.01…1. The frame must not extend beyond the canvas.
  public var height: Double
  /// The drawing order, −1000…1000. Higher frames cover lower ones.
  public var zIndex: Int
  /// The corner radius as a fraction of the frame's shorter side, 0…0.5.
  public var cornerRadius: Double

  /// Creates a frame. The frame is not validated; see ``validationError``.
  public init(x: Double, y: Double, width: Double, height: Double, zIndex: Int = 0, cornerRadius: Double = 0) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.zIndex = zIndex
    self.cornerRadius = cornerRadius
  }

  private enum CodingKeys: String, CodingKey { case x, y, width, height, zIndex, cornerRadius }

  /// Decodes a frame; `zIndex` and `cornerRadius` are optional and default to 0.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    x = try values.decode(Double.self, forKey: .x)
    y = try values.decode(Double.self, forKey: .y)
    width = try values.decode(Double.self, forKey: .width)
    height = try values.decode(Double.self, forKey: .height)
    zIndex = try values.decodeIfPresent(Int.self, forKey: .zIndex) ?? 0
    cornerRadius = try values.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0
  }

  /// Tolerance for fractions such as thirds, whose sum is not exactly 1.
  private static let slack = 0.000_001

  /// The first validation error, which begins with the field's name; nil if the value is valid.
  public var validationError: String? {
    // Written so that NaN is rejected: it is in no range.
    for (name, value) in [("x", x), ("y", y)] where !(0...1).contains(value) {
      return "\(name): \(value); must be 0 to 1, a fraction of the canvas"
    }
    for (name, value) in [("width", width), ("height", height)] where !(0.01...1).contains(value) {
      return "\(name): \(value); must be 0.01 to 1, a fraction of the canvas"
    }
    guard x + width <= 1 + Self.slack else {
      return "width: the frame ends at \(x + width), beyond the canvas' right side at 1"
    }
    guard y + height <= 1 + Self.slack else { return "height: the frame ends at \(y + height), beyond the canvas' bottom at 1" }
    guard (-1000...1000).contains(zIndex) else { return "zIndex: \(zIndex); must be -1000 to 1000" }
    guard (0...0.5).contains(cornerRadius) else {
      return "cornerRadius: \(cornerRadius); must be 0 to 0.5, a fraction of the frame's shorter side"
    }
    return nil
  }
}

/// A validation error of a layout.
public struct LayoutError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence that begins with the field's name: "frames[2].width: …".
  public var description: String

  /// Creates an error with this text.
  public init(_ description: String) { self.description = description }
}

/// The canvas of a room's mixed picture and the frame of each seat. The host's frame is the first.
public struct Layout: Codable, Sendable, Hashable {
  /// The largest number of seats of a custom layout.
  public static let maximumSeats = 16

  /// The layout's type.
  public let type: LayoutType
  /// The size of the mixed picture.
  public let canvas: CanvasSize
  /// The frames by seat index.
  public let frames: [SeatFrame]

  /// The number of seats.
  public var seatCount: Int { frames.count }

  /// The layout of a new room: `oneToOne` on 720x1280 pixels.
  public static let standard = Layout(type: .oneToOne, canvas: .portrait, frames: LayoutType.oneToOne.frames)

  /// Creates a built-in layout on a canvas of any valid size, or a custom layout.
  /// - Parameters:
  ///   - type: the arrangement of the seats.
  ///   - canvas: the canvas; 720x1280 if nil.
  ///   - frames: the frames of a custom layout, 1 to 16; nil for a built-in layout.
  /// - Throws: ``LayoutError``, whose text names the field.
  public init(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) throws(LayoutError) {
    let canvas = canvas ?? .portrait
    if let validationError = canvas.validationError { throw LayoutError("canvas.\(validationError)") }
    guard type == .custom else {
      guard frames == nil else { throw LayoutError("frames: \(type.rawValue) has built-in frames; only custom accepts others") }
      self.init(type: type, canvas: canvas, frames: type.frames)
      return
    }
    guard let frames, !frames.isEmpty else { throw LayoutError("frames: a custom layout needs a frame for each seat") }
    guard frames.count <= Self.maximumSeats else {
      throw LayoutError("frames: \(frames.count) are too many; at most \(Self.maximumSeats) are allowed")
    }
    for (index, frame) in frames.enumerated() {
      if let validationError = frame.validationError { throw LayoutError("frames[\(index)].\(validationError)") }
    }
    self.init(type: type, canvas: canvas, frames: frames)
  }

  private init(type: LayoutType, canvas: CanvasSize, frames: [SeatFrame]) {
    self.type = type
    self.canvas = canvas
    self.frames = frames
  }
}

/// The parameters of a layout change.
public struct LayoutParams: Codable, Sendable, Hashable {
  /// The layout's type.
  public var type: LayoutType
  /// The size of the mixed picture; 720x1280 if nil.
  public var canvas: CanvasSize?
  /// The frames of a `custom` layout, one for each seat, the host's first; nil for a built-in layout.
  public var frames: [SeatFrame]?

  /// Creates the parameters. The parameters are not validated; see ``layout()``.
  public init(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) {
    self.type = type
    self.canvas = canvas
    self.frames = frames
  }

  /// Returns the validated layout.
  /// - Throws: ``LayoutError``, whose text names the field.
  public func layout() throws(LayoutError) -> Layout { try Layout(type, canvas: canvas, frames: frames) }
}
