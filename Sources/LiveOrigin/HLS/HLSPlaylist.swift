/// The media playlist of a stream (RFC 8216; its second edition for low-latency HLS).
public struct HLSPlaylist: Sendable {
  /// How the playlist represents changes of form.
  public enum Changes: Hashable, Sendable {
    /// With EXT-X-DISCONTINUITY and another EXT-X-MAP, as RFC 8216 §4.3.2.3 requires.
    case marked
    /// Not marked, with one EXT-X-MAP. VLC reads only the first one, and starts a demuxer without any at each discontinuity. It
    /// uses the parameter sets in the key frames, and times continue across a change.
    case unmarked
  }

  private let window: HLSWindow
  private let epoch: Int64
  private let folder: String
  private let query: String
  private let changes: Changes

  /// - Parameters:
  ///   - epoch: The UNIX time in ms at the start of the stream's timeline.
  ///   - folder: The folder of the segments relative to the playlist: the stream's name.
  ///   - query: The query appended to every URL, without the question mark.
  ///   - changes: How changes of form are represented.
  public init(_ window: HLSWindow, epoch: Int64, folder: String, query: String = "", changes: Changes = .marked) {
    self.window = window
    self.epoch = epoch
    self.folder = folder
    self.query = query
    self.changes = changes
  }

  /// The complete playlist.
  public var text: String { text(skips: false) }

  /// Returns the playlist.
  /// - Parameter skips: whether it may be a delta update, without the segments that are older than six target durations. The
  ///   player knows them from the previous playlist.
  public func text(skips: Bool) -> String {
    let partTarget = window.hasEnded ? nil : window.partTarget
    let skipped = skips && partTarget != nil ? skippable : 0
    // EXT-X-SKIP requires version 9 (RFC 8216bis §8).
    var text = "#EXTM3U\n#EXT-X-VERSION:\(skipped > 0 ? 9 : 6)\n#EXT-X-TARGETDURATION:\(window.targetDuration)\n"
    if let partTarget {
      text += "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=\(Self.seconds(partTarget * 3))"
      text += ",CAN-SKIP-UNTIL=\(Self.seconds(skipBoundary))\n#EXT-X-PART-INF:PART-TARGET=\(Self.seconds(partTarget))\n"
    }
    if window.isIndependent { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    text += "#EXT-X-MEDIA-SEQUENCE:\((window.listed.first ?? window.growing)?.number ?? 0)\n"
    if window.discontinuities > 0, changes == .marked { text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(window.discontinuities)\n" }
    if skipped > 0 { text += "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)\n" }

    // Parts are only useful near the end: within three target durations.
    var fromEnd = length
    var initialisation: Int?
    for (index, segment) in window.listed.enumerated() {
      fromEnd -= segment.duration
      if index >= skipped {
        add(head: segment, after: initialisation, to: &text)
        if partTarget != nil, fromEnd < Int64(window.targetDuration) * 3000 { add(partsOf: segment, to: &text) }
        text += "#EXTINF:\(Self.seconds(segment.duration)),\n\(address(HLSResource.segment(segment.number)))\n"
      }
      initialisation = segment.initialisation
    }
    if window.hasEnded { return text + "#EXT-X-ENDLIST\n" }
    if partTarget != nil, let growing = window.growing {
      // A player loads the hinted part before the next playlist, so a change of form must precede the hint. Otherwise hls.js
      // decodes the part with the old initialization section.
      if !growing.parts.isEmpty || growing.isDiscontinuous && changes == .marked {
        add(head: growing, after: initialisation, to: &text)
        add(partsOf: growing, to: &text)
      }
      let next = HLSResource.part(growing.parts.count, of: growing.number)
      text += "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(address(next))\"\n"
    }
    return text
  }

  /// Returns the line for another rendition of the same stream, so that a player that switches to it can request its newest part
  /// at once. The line belongs at the end of a playlist.
  /// - Parameter name: The name of its playlist without the extension.
  public static func report(of name: String, query: String, at last: HLSPosition) -> String {
    "#EXT-X-RENDITION-REPORT:URI=\"\(name).m3u8" + (query.isEmpty ? "" : "?\(query)")
      + "\",LAST-MSN=\(last.number),LAST-PART=\(last.part)\n"
  }

  /// The duration of the playlist in ms.
  private var length: Int64 {
    let grown = window.growing?.parts.reduce(0) { $0 + $1.duration } ?? 0
    return window.listed.reduce(grown) { $0 + $1.duration }
  }

  /// The minimum distance to the end of a skipped segment, in ms: six target durations (RFC 8216bis §4.4.3.8).
  private var skipBoundary: Int64 { Int64(window.targetDuration) * 6000 }

  /// The number of segments that a delta update leaves out.
  private var skippable: Int {
    var fromEnd = length
    return window.listed.prefix { segment in
      fromEnd -= segment.duration
      return fromEnd >= skipBoundary
    }.count
  }

  private func add(head segment: HLSSegment, after initialisation: Int?, to text: inout String) {
    let isMarked = changes == .marked
    if segment.isDiscontinuous, isMarked { text += "#EXT-X-DISCONTINUITY\n" }
    if isMarked ? segment.initialisation != initialisation : initialisation == nil {
      text += "#EXT-X-MAP:URI=\"\(address(HLSResource.initialisation(segment.initialisation)))\"\n"
    }
    text += "#EXT-X-PROGRAM-DATE-TIME:\(Self.date(epoch + segment.start.milliseconds))\n"
  }

  private func add(partsOf segment: HLSSegment, to text: inout String) {
    for (index, part) in segment.parts.enumerated() {
      text += "#EXT-X-PART:DURATION=\(Self.seconds(part.duration)),URI=\"\(address(.part(index, of: segment.number)))\""
      text += part.isIndependent ? ",INDEPENDENT=YES\n" : "\n"
    }
  }

  private func address(_ resource: HLSResource) -> String {
    "\(folder)/\(resource.name)" + (query.isEmpty ? "" : "?\(query)")
  }

  /// Formats ms as seconds with three decimals.
  static func seconds(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// Formats a UNIX time in ms as ISO 8601 in UTC.
  static func date(_ milliseconds: Int64) -> String {
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let milliseconds = max(0, milliseconds)
    let second = milliseconds / 1000
    // Days since 0000-03-01, in eras of 400 years (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let days = second / 86_400 + 719_468
    let dayOfEra = days % 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let shownYear = year + days / 146_097 * 400 + (month <= 2 ? 1 : 0)
    let time = second % 86_400
    let fraction = String(seconds(milliseconds % 1000).dropFirst())
    return "\(shownYear)-\(two(month))-\(two(dayOfYear - (153 * shifted + 2) / 5 + 1))"
      + "T\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))\(fraction)Z"
  }
}
