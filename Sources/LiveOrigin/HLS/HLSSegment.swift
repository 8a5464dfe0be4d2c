public import RTP

/// A piece of a segment that is there before the segment is whole: one fragment of MP4.
public struct HLSPart: Sendable, Hashable {
  /// Where its bytes lie in those of the segment.
  public var bytes: Range<Int>
  /// Milliseconds.
  public var duration: Int64
  /// Whether a player can begin with it.
  public var isIndependent: Bool
}

/// A segment, whole or growing.
public struct HLSSegment: Sendable {
  /// Its media sequence number.
  public let number: Int
  /// The number of the segment with which its initialisation section came.
  public let initialisation: Int
  /// Whether it does not go on where the one before ended, or in the same form.
  public let isDiscontinuous: Bool
  /// Its start on the stream's timeline.
  public let start: MediaTime
  /// Milliseconds; 0 while it grows.
  public internal(set) var duration: Int64 = 0
  /// What is cut of it so far.
  public internal(set) var parts: [HLSPart] = []
  /// The fragments of all parts.
  public internal(set) var bytes: [UInt8] = []

  init(number: Int, initialisation: Int, isDiscontinuous: Bool, start: MediaTime) {
    self.number = number
    self.initialisation = initialisation
    self.isDiscontinuous = isDiscontinuous
    self.start = start
  }
}
