import RoomProtocol
import RoomServer
import RoomWebRTC

/// What LiveKit's clients put into their offers, and expect in those of a server.
enum LiveKitDescription {
  /// An m-line of an offer on which the client sends.
  struct SendingLine: Sendable, Hashable {
    var mid: String
    var kind: TrackKind
    /// The client's id of the track; nil if the m-line has none.
    var cid: String?
  }

  /// Returns the m-lines of an offer on which the client sends.
  static func sendingLines(of offer: String) throws(SDPError) -> [SendingLine] {
    let description = try SessionDescription(parsing: offer)
    return description.media.compactMap { section in
      guard section.port != 0, let kind = TrackKind(rawValue: section.kind), let mid = section.mid,
        description.direction(of: section).sends
      else { return nil }
      return SendingLine(mid: mid.rawValue, kind: kind, cid: trackID(of: section))
    }
  }

  /// Returns the track of `a=msid`, or of an older client's `a=ssrc:… msid:`.
  private static func trackID(of section: MediaDescription) -> String? {
    for attribute in section.attributes {
      guard let value = attribute.value else { continue }
      let words = value.split(separator: " ")
      if attribute.name == "msid", words.count == 2 { return String(words[1]) }
      if attribute.name == "ssrc", words.count == 3, words[1].hasPrefix("msid:") { return String(words[2]) }
    }
    return nil
  }

  /// Returns an offer in which codecs come first on their m-lines, because clients name the codec of a track in its announcement and
  /// let the server select it. One that an m-line does not have changes nothing.
  /// - Parameter codecs: their names in lowercase, by mid.
  static func preferring(_ codecs: [String: String], in offer: String) -> String {
    guard !codecs.isEmpty else { return offer }
    var lines = offer.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }.map(String.init)
    let starts = lines.indices.filter { lines[$0].hasPrefix("m=") }
    for (start, end) in zip(starts, starts.dropFirst() + [lines.endIndex]) {
      let section = lines[start..<end]
      guard let mid = section.first(where: { $0.hasPrefix("a=mid:") })?.dropFirst("a=mid:".count),
        let codec = codecs[String(mid)]
      else { continue }
      let types = section.filter { $0.hasPrefix("a=rtpmap:") }.compactMap { line -> Substring? in
        let words = line.dropFirst("a=rtpmap:".count).split(separator: " ")
        guard words.count == 2, words[1].lowercased().hasPrefix(codec + "/") else { return nil }
        return words[0]
      }
      let words = lines[start].split(separator: " ")
      let (head, formats) = (words.prefix(3), words.dropFirst(3))
      let ordered = head + formats.filter(types.contains) + formats.filter { !types.contains($0) }
      lines[start] = ordered.joined(separator: " ")
    }
    return lines.joined(separator: "\r\n")
  }

  /// Returns a description of this server in which the stream of each track is `participant|track`: clients read the owner and the
  /// track from it.
  /// - Parameters:
  ///   - tracks: those that this server sends.
  ///   - sid: returns the id of a participant.
  static func named(_ sdp: String, _ tracks: [OfferedTrack], sid: (UserID) -> String?) -> String {
    let tracks = Dictionary(tracks.map { ($0.mid, $0) }) { first, _ in first }
    var track: OfferedTrack?
    let lines = sdp.split(separator: "\r\n", omittingEmptySubsequences: false).map { line -> Substring in
      if line.hasPrefix("m=") { track = nil }
      if line.hasPrefix("a=mid:") { track = tracks[String(line.dropFirst("a=mid:".count))] }
      guard line.hasPrefix("a=msid:"), let track, let owner = sid(track.userId) else { return line }
      return "a=msid:\(owner)|\(track.trackId) \(track.trackId)"
    }
    return lines.joined(separator: "\r\n")
  }
}
