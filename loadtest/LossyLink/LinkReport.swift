import Foundation

/// The record of a link's run: what `loadtest link` prints and writes as JSON.
public struct LinkReport: Sendable, Codable {
  /// One direction. Times are in milliseconds.
  public struct Direction: Sendable, Codable {
    public var packets: Int
    public var bytes: Int
    public var deliveredPackets: Int
    public var deliveredBytes: Int
    public var lost: Int
    public var overflowed: Int
    public var refused: Int
    /// Percentiles of the time that delivered packets waited in the queue, up to 1 ms too long.
    public var queueP50: Double
    public var queueP95: Double
    public var queueP99: Double
    public var queueMax: Double
    /// One element for each 100 ms.
    public var slots: [LinkLog.Slot]

    init(_ log: LinkLog) {
      packets = log.packets
      bytes = log.bytes
      deliveredPackets = log.deliveredPackets
      deliveredBytes = log.deliveredBytes
      lost = log.lost
      overflowed = log.overflowed
      refused = log.refused
      queueP50 = log.queue(0.5)
      queueP95 = log.queue(0.95)
      queueP99 = log.queue(0.99)
      queueMax = log.longestQueue
      slots = log.slots
    }
  }

  public var seed: UInt64
  /// Seconds since the link's start.
  public var seconds: Double
  /// How late the link forwarded packets because this machine was busy, in milliseconds.
  public var latenessP50: Double
  public var latenessP99: Double
  /// Whether the link's thread runs before ordinary threads.
  public var isFirst: Bool
  /// From the near side to the far side.
  public var down: Direction
  /// From the far side to the near side.
  public var up: Direction

  /// Above this p99 of the lateness, in milliseconds, a run measures the machine instead of the link.
  public static let latenessLimit = 5.0
  public var isTrustworthy: Bool { latenessP99 <= Self.latenessLimit }

  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self)
  }
}
