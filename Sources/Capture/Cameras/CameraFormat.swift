/// A pixel format of a camera, with a size or a range of sizes, and the frame rates at that size.
public struct CameraFormat: Sendable, Hashable {
  /// The lengths that a side may have, in pixels.
  public struct Side: Sendable, Hashable {
    public let shortest: Int
    public let longest: Int
    /// The distance between two lengths; at least 1.
    public let step: Int

    public init(_ shortest: Int, to longest: Int, step: Int) {
      self.shortest = shortest
      self.longest = max(longest, shortest)
      self.step = max(step, 1)
    }

    /// One length only.
    public init(_ length: Int) { self.init(length, to: length, step: 1) }

    /// Returns the nearest length that the camera has.
    public func nearest(_ wanted: Int) -> Int {
      let limited = min(max(wanted, shortest), longest)
      let below = shortest + (limited - shortest) / step * step
      let above = below + step
      return above <= longest && above - limited < limited - below ? above : below
    }
  }

  public var code: FourCC
  public var width: Side
  public var height: Side
  /// Frames per second, in the camera's order: a range of one value, or a continuous range. Empty if the camera lists none.
  public var rates: [ClosedRange<Double>]

  public init(code: FourCC, width: Side, height: Side, rates: [ClosedRange<Double>]) {
    self.code = code
    self.width = width
    self.height = height
    self.rates = rates
  }
}

/// What a camera is set to.
public struct CameraSetting: Sendable, Hashable {
  public var code: FourCC
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Frames per second; nil if the camera lists no rates.
  public var rate: Double?

  public init(code: FourCC, width: Int, height: Int, rate: Double?) {
    self.code = code
    self.width = width
    self.height = height
    self.rate = rate
  }

  /// The formats that ``Camera`` converts, the least costly first.
  public static let convertible: [FourCC] = [.yu12, .nv12, .yuyv, .mjpeg]

  /// Returns the setting nearest to the wanted one: first by size, then by frame rate, then by the cost of conversion. Of two
  /// equally distant values, the larger one is chosen.
  /// - Returns: nil if no format is one of ``convertible``.
  public static func nearest(width: Int, height: Int, rate: Double, in formats: [CameraFormat]) -> CameraSetting? {
    let candidates = formats.compactMap { format -> (setting: CameraSetting, distance: Distance)? in
      guard let cost = convertible.firstIndex(of: format.code) else { return nil }
      let setting = CameraSetting(
        code: format.code, width: format.width.nearest(width), height: format.height.nearest(height),
        rate: format.nearestRate(rate))
      return (setting, Distance(setting, width: width, height: height, rate: rate, cost: cost))
    }
    return candidates.min { $0.distance < $1.distance }?.setting
  }

  /// The differences in the order of their importance.
  private struct Distance: Comparable {
    private let values: [Double]

    init(_ setting: CameraSetting, width: Int, height: Int, rate: Double, cost: Int) {
      let size = abs(Double(setting.width) - Double(width)) + abs(Double(setting.height) - Double(height))
      let difference = setting.rate.map { abs($0 - rate) } ?? 0
      values = [
        size, -Double(setting.width) * Double(setting.height),
        // A difference of less than 0.1 frames per second is none: 29.97 is as good as 30.
        (difference * 5).rounded(), -(setting.rate ?? 0).rounded(), Double(cost),
      ]
    }

    static func < (a: Self, b: Self) -> Bool { a.values.lexicographicallyPrecedes(b.values) }
  }
}

extension CameraFormat {
  fileprivate func nearestRate(_ wanted: Double) -> Double? {
    rates.map { min(max(wanted, $0.lowerBound), $0.upperBound) }
      .min { (abs($0 - wanted), -$0) < (abs($1 - wanted), -$1) }
  }
}
