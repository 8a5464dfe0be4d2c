/// A blocking playlist reload: the request for a playlist that contains this segment, or this part of it (`_HLS_msn`,
/// `_HLS_part`; RFC 8216bis §6.2.5.2).
public struct HLSReload: Hashable, Sendable {
  /// The reason why a reload request is rejected.
  public enum Refusal: Error, Hashable, Sendable {
    /// A value is invalid, a directive is repeated, or there is a part without a segment.
    case malformed
    /// The request is too far ahead to wait for.
    case tooFarAhead
  }

  /// The media sequence number of the segment.
  public var number: Int
  /// The index of the part; nil for the whole segment.
  public var part: Int?

  public init(number: Int, part: Int? = nil) {
    self.number = number
    self.part = part
  }

  /// Returns whether the window contains the requested segment or part. A part after the last one of a segment is the first
  /// part of the next, because players cannot know where a segment ends.
  public func isReached(by window: HLSWindow) -> Bool { window.reaches(number, part: part) }

  /// Throws if the request is more than two segments after the last complete one, or more parts after the last part than the
  /// advance part limit: three parts, or three seconds of shorter ones.
  public func check(against window: HLSWindow) throws(Refusal) {
    guard !window.hasEnded, let next = window.nextNumber else { return }
    guard number <= next + 1 else { throw .tooFarAhead }
    guard let part, number >= next else { return }
    let target = max(1, window.partTarget ?? 1000)
    let limit = target >= 1000 ? 3 : Int((3000 + target - 1) / target)
    let parts = number == next ? window.growing?.parts.count ?? 0 : 0
    guard part < parts + limit else { throw .tooFarAhead }
  }

  /// Parses a number of digits only. Returns nil above 16 digits.
  static func number(_ text: some StringProtocol) -> Int? {
    guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
