/// The size of a mixed picture.
public struct CanvasSize: Codable, Sendable, Hashable {
  /// Pixels a side may have; it has to be even.
  public static let sides = 64...1920
  /// 720x1280: a phone held upright.
  public static let portrait = CanvasSize(width: 720, height: 1280)

  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// What is wrong with it, with the field's name; nil where nothing is.
  public var complaint: String? {
    for (name, side) in [("width", width), ("height", height)] {
      guard Self.sides.contains(side) else {
        return "\(name): \(side) pixels, where \(Self.sides.lowerBound) to \(Self.sides.upperBound) are possible"
      }
      guard side % 2 == 0 else { return "\(name): \(side) is odd; a picture has even sides" }
    }
    return nil
  }
}

/// Where a seat's picture is, in parts of the canvas: 0,0 is its top left corner, 1,1 its bottom right.
public struct SeatFrame: Codable, Sendable, Hashable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  /// Higher ones cover lower ones; −1000 to 1000.
  public var zIndex: Int
  /// In parts of the frame's shorter side; 0 to 0.5.
  public var cornerRadius: Double

  public init(x: Double, y: Double, width: Double, height: Double, zIndex: Int = 0, cornerRadius: Double = 0) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.zIndex = zIndex
    self.cornerRadius = cornerRadius
  }

  private enum CodingKeys: String, CodingKey { case x, y, width, height, zIndex, cornerRadius }

  /// `zIndex` and `cornerRadius` may be left out.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    x = try values.decode(Double.self, forKey: .x)
    y = try values.decode(Double.self, forKey: .y)
    width = try values.decode(Double.self, forKey: .width)
    height = try values.decode(Double.self, forKey: .height)
    zIndex = try values.decodeIfPresent(Int.self, forKey: .zIndex) ?? 0
    cornerRadius = try values.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0
  }

  /// Thirds and the like don't add up to exactly 1.
  private static let slack = 0.000_001

  /// What is wrong with it, with the field's name; nil where nothing is.
  public var complaint: String? {
    // NaN is in no range.
    for (name, value) in [("x", x), ("y", y)] where !(0...1).contains(value) {
      return "\(name): \(value), where 0 to 1 is possible: a part of the canvas"
    }
    for (name, value) in [("width", width), ("height", height)] where !(0.01...1).contains(value) {
      return "\(name): \(value), where 0.01 to 1 is possible: a part of the canvas"
    }
    guard x + width <= 1 + Self.slack else {
      return "width: the frame ends at \(x + width), beyond the canvas' right side at 1"
    }
    guard y + height <= 1 + Self.slack else { return "height: the frame ends at \(y + height), beyond the canvas' bottom at 1" }
    guard (-1000...1000).contains(zIndex) else { return "zIndex: \(zIndex), where -1000 to 1000 is possible" }
    guard (0...0.5).contains(cornerRadius) else {
      return "cornerRadius: \(cornerRadius), where 0 to 0.5 is possible: a part of the frame's shorter side"
    }
    return nil
  }
}

/// Why there is no such layout.
public struct LayoutError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence that begins with the field's name: "frames[2].width: …".
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// The canvas of a room's mixed picture and the frame of each of its seats; the host's is the first.
public struct Layout: Codable, Sendable, Hashable {
  /// Most seats of a custom layout.
  public static let maximumSeats = 16

  public let type: LayoutType
  public let canvas: CanvasSize
  /// By seat index.
  public let frames: [SeatFrame]

  public var seatCount: Int { frames.count }

  /// What a room begins with.
  public static let standard = Layout(type: .oneToOne, canvas: .portrait, frames: LayoutType.oneToOne.frames)

  /// A built-in layout on a canvas of any size, or a custom one.
  /// - Parameters:
  ///   - canvas: 720x1280 if nil.
  ///   - frames: of a custom layout, 1 to 16; nil for a built-in one.
  /// - Throws: ``LayoutError``, whose text names the field.
  public init(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) throws(LayoutError) {
    let canvas = canvas ?? .portrait
    if let complaint = canvas.complaint { throw LayoutError("canvas.\(complaint)") }
    guard type == .custom else {
      guard frames == nil else { throw LayoutError("frames: \(type.rawValue) has its own; only custom takes others") }
      self.init(type: type, canvas: canvas, frames: type.frames)
      return
    }
    guard let frames, !frames.isEmpty else { throw LayoutError("frames: a custom layout needs a frame for each seat") }
    guard frames.count <= Self.maximumSeats else {
      throw LayoutError("frames: \(frames.count) are too many; \(Self.maximumSeats) are possible")
    }
    for (index, frame) in frames.enumerated() {
      if let complaint = frame.complaint { throw LayoutError("frames[\(index)].\(complaint)") }
    }
    self.init(type: type, canvas: canvas, frames: frames)
  }

  private init(type: LayoutType, canvas: CanvasSize, frames: [SeatFrame]) {
    self.type = type
    self.canvas = canvas
    self.frames = frames
  }
}

/// A layout as it is asked for.
public struct LayoutParams: Codable, Sendable, Hashable {
  public var type: LayoutType
  /// 720x1280 if absent.
  public var canvas: CanvasSize?
  /// Of `custom` alone: one for each seat, the host's first.
  public var frames: [SeatFrame]?

  public init(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) {
    self.type = type
    self.canvas = canvas
    self.frames = frames
  }

  /// - Throws: ``LayoutError``, whose text names the field.
  public func layout() throws(LayoutError) -> Layout { try Layout(type, canvas: canvas, frames: frames) }
}
