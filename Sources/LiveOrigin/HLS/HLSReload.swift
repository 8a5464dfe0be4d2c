/// What a player asks to wait for: a playlist with this segment, or this part of it (`_HLS_msn`, `_HLS_part`; RFC 8216bis
/// §6.2.5.2).
public struct HLSReload: Hashable, Sendable {
  /// Why it can't be answered.
  public enum Refusal: Error, Hashable, Sendable {
    /// No decimal numbers, one of them twice, or a part of no segment.
    case malformed
    /// Nobody can wait for what is so far ahead.
    case tooFarAhead
  }

  /// The segment's number.
  public var number: Int
  /// Nil for the whole segment.
  public var part: Int?

  /// Reads them from a URL's query; nil where it asks for none.
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

  /// A part behind the last of a segment is the first of the next: a player can't know where a segment ends.
  public func isReached(by window: HLSWindow) -> Bool { window.reaches(number, part: part) }

  /// Refuses what is two segments or hundreds of parts ahead.
  public func check(against window: HLSWindow) throws(Refusal) {
    guard let next = window.nextNumber else { return }
    guard number <= next + 1, part ?? 0 <= 1000 else { throw .tooFarAhead }
  }

  /// A number of digits only; nil where it is above 2⁵³.
  static func number(_ text: some StringProtocol) -> Int? {
    guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// What remains of a query without what only a playlist is asked: it goes with the addresses of segments. Nothing of it can
  /// end the quotes or the line that it stands in.
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
