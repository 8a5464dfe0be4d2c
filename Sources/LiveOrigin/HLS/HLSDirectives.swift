/// The delivery directives in the query of a playlist request (RFC 8216bis §6.2.5).
public struct HLSDirectives: Hashable, Sendable {
  /// The segment or part that the playlist must contain; nil for the current playlist (`_HLS_msn`, `_HLS_part`).
  public var reload: HLSReload?
  /// Whether the player accepts a delta update (`_HLS_skip`).
  public var skips: Bool

  /// Parses the directives. Ignores unknown ones.
  /// - Throws: ``HLSReload/Refusal/malformed`` for an invalid value, a repeated directive, or a part without a segment.
  public init(query: String) throws(HLSReload.Refusal) {
    var values: [Substring: Substring] = [:]
    for pair in query.split(separator: "&").prefix(64) where pair.hasPrefix("_HLS_") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard ["_HLS_msn", "_HLS_part", "_HLS_skip"].contains(halves[0]) else { continue }
      guard halves.count == 2, values.updateValue(halves[1], forKey: halves[0]) == nil else { throw .malformed }
    }
    let number = try Self.number(values["_HLS_msn"])
    let part = try Self.number(values["_HLS_part"])
    guard part == nil || number != nil else { throw .malformed }
    // "v2" also permits to skip date ranges, which these playlists do not have.
    if let skip = values["_HLS_skip"], skip != "YES", skip != "v2" { throw .malformed }
    reload = number.map { HLSReload(number: $0, part: part) }
    skips = values["_HLS_skip"] != nil
  }

  private static func number(_ text: Substring?) throws(HLSReload.Refusal) -> Int? {
    guard let text else { return nil }
    guard let number = HLSReload.number(text) else { throw .malformed }
    return number
  }

  /// Returns the query without directives, to be appended to the URLs in a playlist. The result cannot terminate the quoted
  /// string or the line that contains it.
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
