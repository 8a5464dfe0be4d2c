import RoomRTP

/// Adapts bitrate and frame rate of locally encoded video to a congested uplink. The bitrate drops to its minimum first, then
/// the frame rate drops to 10. Both recover while the queue stays short.
public struct UplinkSteps: Sendable, Equatable {
  /// The minimum frame rate in frames per second.
  public static let leastFPS = 10
  private static let long = 800
  private static let short = 250
  /// The number of consecutive seconds before a change.
  private static let patience = 6

  /// The target and the minimum in bits per second.
  public private(set) var most: Int
  public private(set) var least: Int
  /// The target in frames per second.
  public private(set) var wantedFPS: Int
  /// The current bitrate in bits per second.
  public private(set) var bitrate: Int
  /// The current frame rate in frames per second.
  public private(set) var fps: Int
  private var leastFPS: Int
  private var dropped: UInt64?
  private var calm = 0

  /// Creates steps at their target.
  /// - Parameters:
  ///   - bitrate: The target in bits per second.
  ///   - least: The minimum in bits per second.
  ///   - fps: The target in frames per second.
  ///   - leastFPS: The minimum in frames per second; nil for ``leastFPS``.
  public init(bitrate: Int, least: Int, fps: Int, leastFPS: Int? = nil) {
    most = bitrate
    self.least = min(max(least, 10_000), bitrate)
    wantedFPS = fps
    self.leastFPS = min(leastFPS ?? Self.leastFPS, fps)
    self.bitrate = bitrate
    self.fps = fps
  }

  /// Changes the target bitrate and frame rate. Reductions made for the uplink remain in effect.
  public mutating func change(bitrate: Int, least: Int, fps: Int, leastFPS: Int? = nil) {
    let share = Double(self.bitrate) / Double(max(1, most))
    most = bitrate
    self.least = min(max(least, 10_000), bitrate)
    self.bitrate = min(max(Int(Double(bitrate) * share), self.least), bitrate)
    self.leastFPS = min(leastFPS ?? Self.leastFPS, fps)
    self.fps = self.fps >= wantedFPS ? fps : max(min(self.fps, fps), self.leastFPS)
    wantedFPS = fps
  }

  /// Reports the connection's state; called once a second.
  /// - Parameters:
  ///   - queued: The media waiting to be sent, in ms.
  ///   - dropped: The number of frames dropped since the start.
  public mutating func uplinkReported(queued: Int, dropped: UInt64) {
    let isWeak = queued > Self.long || dropped > (self.dropped ?? dropped)
    self.dropped = dropped
    guard !isWeak else {
      calm = 0
      if bitrate > least {
        bitrate = max(least, bitrate * 7 / 10)
      } else {
        fps = max(leastFPS, fps * 3 / 4)
      }
      return
    }
    calm = queued < Self.short ? calm + 1 : 0
    guard calm >= Self.patience else { return }
    calm = Self.patience / 2
    if fps < wantedFPS {
      fps = min(wantedFPS, fps * 4 / 3 + 1)
    } else {
      bitrate = min(most, bitrate + max(bitrate / 8, 10_000))
    }
  }
}
