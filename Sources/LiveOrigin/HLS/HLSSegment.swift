public import RoomRTP

/// A part of a segment that is available before the segment is complete: one MP4 fragment.
public struct HLSPart: Sendable, Hashable {
  /// The range of its bytes within the segment.
  public var bytes: Range<Int>
  /// The duration in ms.
  public var duration: Int64
  /// Whether playback can start with it.
  public var isIndependent: Bool
}

/// A part's position in a stream.
public struct HLSPosition: Sendable, Hashable {
  /// The media sequence number of the segment.
  public var number: Int
  /// The index of the part in it.
  public var part: Int
}

/// A segment, complete or still growing.
public struct HLSSegment: Sendable {
  /// The media sequence number.
  public let number: Int
  /// The number of the segment that introduced its initialization section.
  public let initialisation: Int
  /// Whether it follows a gap or a change of form.
  public let isDiscontinuous: Bool
  /// The start time on the stream's timeline.
  public let start: MediaTime
  /// The duration in ms; 0 while the segment grows.
  public internal(set) var duration: Int64 = 0
  /// The parts cut so far.
  public internal(set) var parts: [HLSPart] = []
  /// The fragments of all parts.
  public internal(set) var bytes: [UInt8] = []
  /// The number of pictures.
  public internal(set) var pictures = 0
  /// The bytes of audio in it.
  public internal(set) var soundBytes = 0

  init(number: Int, initialisation: Int, isDiscontinuous: Bool, start: MediaTime) {
    self.number = number
    self.initialisation = initialisation
    self.isDiscontinuous = isDiscontinuous
    self.start = start
  }
}
