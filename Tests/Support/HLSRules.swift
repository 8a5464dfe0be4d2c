/// A media playlist, checked against the rules of RFC 8216bis for low-latency streams.
package struct HLSRules {
  package struct Part: Equatable {
    package var uri: String
    package var seconds: Double
    package var isIndependent: Bool
  }

  package struct Segment: Equatable {
    /// Nil while the segment grows.
    package var uri: String?
    package var seconds = 0.0
    package var parts: [Part] = []
    package var date: String?
    package var map: String?
    package var isDiscontinuous = false
  }

  /// The violated rules.
  package private(set) var violations: [String] = []
  package private(set) var segments: [Segment] = []
  package private(set) var sequence = 0
  package private(set) var skipped = 0
  package private(set) var target = 0.0
  package private(set) var partTarget: Double?
  package private(set) var hint: String?
  /// The attributes of the rendition reports.
  package private(set) var reports: [[String: String]] = []
  package private(set) var hasEnded = false
  private var control: [String: String] = [:]
  private var version = 1

  package init(_ text: String) {
    var open = Segment()
    var counts: [Substring: Int] = [:]
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    rule(lines.first == "#EXTM3U", "§4.4.1.1: the first line is #EXTM3U")
    for line in lines {
      let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      let name = line[..<colon]
      let value = Substring(line.utf8[colon...].dropFirst())
      counts[name, default: 0] += 1
      switch name {
      case "#EXT-X-VERSION": version = Int(value) ?? 0
      case "#EXT-X-TARGETDURATION": target = Double(value) ?? 0
      case "#EXT-X-MEDIA-SEQUENCE":
        sequence = Int(value) ?? -1
        rule(segments.isEmpty, "§4.4.3.2: the media sequence precedes the first segment")
      case "#EXT-X-SERVER-CONTROL": control = Self.attributes(value)
      case "#EXT-X-PART-INF": partTarget = Self.attributes(value)["PART-TARGET"].flatMap { Double($0) }
      case "#EXT-X-SKIP": skipped = Self.attributes(value)["SKIPPED-SEGMENTS"].flatMap { Int($0) } ?? 0
      case "#EXT-X-MAP": open.map = Self.attributes(value)["URI"]
      case "#EXT-X-DISCONTINUITY": open.isDiscontinuous = true
      case "#EXT-X-PROGRAM-DATE-TIME": open.date = String(value)
      case "#EXT-X-PART":
        let part = Self.attributes(value)
        open.parts.append(
          Part(
            uri: part["URI"] ?? "", seconds: part["DURATION"].flatMap { Double($0) } ?? 0,
            isIndependent: part["INDEPENDENT"] == "YES"))
      case "#EXTINF": open.seconds = Double(value.prefix { $0 != "," }) ?? 0
      case "#EXT-X-PRELOAD-HINT":
        let attributes = Self.attributes(value)
        rule(attributes["TYPE"] == "PART", "§4.4.5.3: the hint has a type")
        hint = attributes["URI"]
      case "#EXT-X-RENDITION-REPORT": reports.append(Self.attributes(value))
      case "#EXT-X-ENDLIST": hasEnded = true
      default:
        guard !line.hasPrefix("#"), !line.isEmpty else { continue }
        open.uri = String(line)
        segments.append(open)
        open = Segment()
      }
    }
    if !open.parts.isEmpty { segments.append(open) }
    for name in [
      "VERSION", "TARGETDURATION", "MEDIA-SEQUENCE", "SERVER-CONTROL", "PART-INF", "SKIP", "PRELOAD-HINT", "ENDLIST",
    ] {
      rule(counts["#EXT-X-\(name)", default: 0] <= 1, "§4.4: \(name) appears once")
    }
    checkPlaylist()
    for (index, segment) in segments.enumerated() { check(segment, at: index) }
  }

  /// The URIs of all segments and parts, in the order of the playlist.
  package var uris: [String] { segments.flatMap { $0.parts.map(\.uri) + [$0.uri].compactMap { $0 } } }

  private mutating func checkPlaylist() {
    rule(target >= 1, "§4.4.3.1: there is a target duration")
    rule(version >= 6, "§8: EXT-X-MAP requires version 6")
    rule(skipped == 0 || version >= 9, "§8: EXT-X-SKIP requires version 9")
    rule(Set(uris).count == uris.count, "a URI appears twice")
    guard let partTarget else {
      return rule(segments.allSatisfy(\.parts.isEmpty) && hint == nil, "§4.4.3.7: parts require PART-INF")
    }
    let holdBack = control["PART-HOLD-BACK"].flatMap { Double($0) } ?? 0
    rule(holdBack >= partTarget * 3 - 0.0005, "§4.4.3.8: PART-HOLD-BACK is three part targets or more")
    rule(control["CAN-BLOCK-RELOAD"] == "YES", "low latency requires blocking reloads")
    if let skip = control["CAN-SKIP-UNTIL"].flatMap({ Double($0) }) {
      rule(skip >= target * 6, "§4.4.3.8: CAN-SKIP-UNTIL is six target durations or more")
    }
    rule(hasEnded == (hint == nil), "a live playlist has a hint")
    rule(!uris.contains(hint ?? ""), "the hinted part is already listed")
    rule(
      reports.allSatisfy { $0["URI"] != nil && $0["LAST-MSN"] != nil && $0["LAST-PART"] != nil }, "§4.4.5.4: a report is whole")
  }

  private mutating func check(_ segment: Segment, at index: Int) {
    let name = segment.uri ?? "the growing segment"
    if segment.uri != nil {
      rule(segment.seconds.rounded() <= target, "§4.4.3.1: \(name) is longer than the target duration")
      let sum = segment.parts.reduce(0) { $0 + $1.seconds }
      rule(segment.parts.isEmpty || abs(sum - segment.seconds) < 0.002, "\(name) is not as long as its parts")
    } else {
      rule(index == segments.count - 1, "only the last segment grows")
    }
    rule(segment.date != nil, "\(name) has no date")
    if index == 0, skipped == 0 { rule(segment.map != nil, "§4.4.4.5: the first segment has a map") }
    guard let partTarget else { return }
    for (number, part) in segment.parts.enumerated() {
      rule(part.seconds <= partTarget + 0.0005, "§4.4.3.7: \(part.uri) is longer than the part target")
      // The last part of a segment may be shorter.
      if number < segment.parts.count - 1 {
        rule(part.seconds >= partTarget * 0.85 - 0.0005, "§4.4.4.9: \(part.uri) is shorter than 85 % of the part target")
      }
    }
  }

  private mutating func rule(_ holds: Bool, _ text: String) {
    if !holds { violations.append(text) }
  }

  /// Returns the playlist that a player has after this delta update (RFC 8216bis §6.3.7); nil if segments are missing.
  package func merged(into previous: [Segment], from first: Int) -> [Segment]? {
    let start = sequence - first
    guard skipped > 0 else { return segments }
    guard start >= 0, start + skipped <= previous.count else { return nil }
    let known = previous[start..<(start + skipped)]
    guard known.allSatisfy({ $0.uri != nil }) else { return nil }
    return Array(known) + segments
  }

  /// Returns the attributes of a tag. It looks at bytes, because tests read thousands of playlists.
  private static func attributes(_ text: Substring) -> [String: String] {
    var found: [String: String] = [:]
    var rest = text.utf8
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = String(Substring(rest[..<equals]))
      rest = rest[rest.index(after: equals)...]
      let isQuoted = rest.first == UInt8(ascii: "\"")
      if isQuoted { rest = rest.dropFirst() }
      let end = rest.firstIndex(of: UInt8(ascii: isQuoted ? "\"" : ",")) ?? rest.endIndex
      found[name] = String(Substring(rest[..<end]))
      rest = rest[end...].dropFirst(isQuoted ? 1 : 0)
      rest = rest.dropFirst(rest.first == UInt8(ascii: ",") ? 1 : 0)
    }
    return found
  }
}
