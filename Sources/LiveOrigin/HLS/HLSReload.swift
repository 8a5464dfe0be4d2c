/// A blocking playlist reload: the request for a playlist that contains this segment, or this part of it (`_HLS_msn`,
/// `_HLS_part`; RFC 8216bis §6.2.5.2).
public struct HLSReload: Hashable, Sendable {
  /// The reason why a reload request is rejected.
  public enum Refusal: Error, Hashable, Sendable {
    /// A value is not a decimal number, a parameter is repeated, or there is a part without a segment.
    case malformed
    /// The request is too far ahead to wait for.
    case tooFarAhead
  }

  /// The media sequence number of the segment.
  public var number: Int
  /// The index of the part; nil for the whole segment.
  public var part: Int?

  /// Parses the request from a URL's query. Returns nil if there is none.
  public static func parse(query: String) throws(Refusal) -> HLSReload? {
    var values: [Substring: Int] = [:]
    for pair in query.split(separator: "&").prefix(64) where pair.hasPrefix("_HLS_") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves[0] == "_HLS_msn" || halves[0] == "_HLS_part" else { continue }
      guard halves.count == 2, let number = number(halves[1]), values.updateValue(number, forKey: halves[0]) == nil else {
        throw .malformed
      }
    }
    guard let number = values["_HLS_msn"] else {
      guard values.isEmpty else { throw .malformed }
      return nil
    }
    return HLSReload(number: number, part: values["_HLS_part"])
  }

  /// Returns whether the window contains the requested segment or part. A part after the last one of a segment is the first
  /// part of the next, because players cannot know where a segment ends.
  public func isReached(by window: HLSWindow) -> Bool { window.reaches(number, part: part) }

  /// Throws if the request is two segments or hundreds of parts ahead.
  public func check(against window: HLSWindow) throws(Refusal) {
    guard let next = window.nextNumber else { return }
    guard number <= next + 1, part ?? 0 <= 1000 else { throw .tooFarAhead }
  }

  /// Parses a number of digits only. Returns nil above 2⁵³.
  static func number(_ text: some StringProtocol) -> Int? {
    guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Returns the query without the parameters of reload requests, to be appended to segment URLs. The result cannot terminate
  /// the quoted string or the line that contains it.
  public static func remainder(ofQuery query: String) -> String {
    guard query.utf8.count <= 1024 else { return "" }
    let others = Array("-_.~%+=:@,;!*()/?".utf8)
    return query.split(separator: "&").filter { pair in
      !pair.hasPrefix("_HLS_")
        && pair.utf8.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
          default: others.contains(byte)
          }
        }
    }.joined(separator: "&")
  }
}
