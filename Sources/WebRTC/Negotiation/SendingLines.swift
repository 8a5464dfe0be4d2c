import RoomRTP

/// A track that this side sends on a connection whose offers the other end makes.
public struct TrackToSend: Sendable, Hashable {
  /// The track of `a=msid`; identifies it on the connection.
  public var id: String
  /// The stream of `a=msid` and the CNAME: tracks of one stream are synchronised.
  public var stream: String
  public var kind: RTPParameters.Kind
  /// The forms under which the other end may accept it, the true one first.
  public var codecs: [RTPCodec]
  /// A track with another number begins anew, on new SSRCs.
  public var number: UInt32

  /// - Parameters:
  ///   - parameters: the published stream; only its kind and first codec are used.
  ///   - userID: the publisher.
  public init(_ parameters: RTPParameters, number: UInt32, userID: String, trackID: String) {
    (id, stream, kind, self.number) = (trackID.sdpToken, userID.sdpToken, parameters.kind, number)
    codecs = parameters.codecs.first?.offeredForms ?? []
  }
}

/// What this side sends after an answer.
public struct AnsweredSending: Sendable, Hashable {
  /// A track on its m-line.
  public struct Media: Sendable, Hashable {
    /// The id of the track.
    public var track: String
    /// One codec with the payload types and extension ids of the offer, and SSRCs of this side.
    public var parameters: RTPParameters
  }

  /// In the order of the offer.
  public var media: [Media] = []
  /// The ids of the tracks whose codec the free m-lines do not have.
  public var rejected: Set<String> = []
  /// The number of m-lines of each kind that can take a track in the next answer.
  public var free: [RTPParameters.Kind: Int] = [:]
  /// The number of all m-lines.
  public var lines = 0
}

/// The m-lines on which the other end receives, and the tracks that this side sends on them (RFC 8829 §5.3.1).
///
/// A track keeps its m-line and SSRCs while it is sent. The track's m-line is `inactive` in one answer before it takes another
/// track: browsers report a new track only on an m-line that did not receive.
struct SendingLines: Sendable {
  private var lines: [Mid: (track: TrackToSend, parameters: RTPParameters)] = [:]
  /// The m-lines that are inactive in this answer, because their tracks ended.
  private var vacated: Set<Mid> = []
  /// The tracks without an m-line.
  private var waiting: [TrackToSend] = []
  /// The kinds of which an m-line could take none of the waiting tracks.
  private var mismatched: Set<RTPParameters.Kind> = []
  private let randomSSRC: @Sendable () -> SSRC
  /// The result of the answer that is being made.
  private(set) var answered = AnsweredSending()

  init(randomSSRC: @escaping @Sendable () -> SSRC) { self.randomSSRC = randomSSRC }

  /// Begins an answer.
  /// - Parameter tracks: all tracks to send; each takes a free m-line in this order.
  mutating func begin(_ tracks: [TrackToSend], in offer: SessionDescription) {
    answered = AnsweredSending()
    answered.lines = offer.media.count
    mismatched = []
    let before = lines
    lines = [:]
    for section in offer.media {
      guard let mid = section.mid, let line = before[mid], Self.receives(section, in: offer),
        let track = tracks.first(where: { $0.id == line.track.id && $0.kind == line.track.kind }),
        let codec = line.parameters.codecs.first, track.codecs.contains(where: codec.matches),
        let same = section.codecs.first(where: { $0.payloadType == codec.payloadType && $0.matches(codec) })
      else { continue }
      let encodings = track.number == line.track.number ? line.parameters.encodings : nil
      lines[mid] = (track, parameters(of: section, same, track, encodings, in: offer))
    }
    vacated = Set(before.keys).subtracting(lines.keys)
    let kept = Set(lines.values.map(\.track.id))
    waiting = tracks.filter { !kept.contains($0.id) }
  }

  /// Returns what is sent on an m-line of the offer; nil for nothing.
  mutating func take(
    _ section: MediaDescription, in offer: SessionDescription
  ) -> (track: TrackToSend, parameters: RTPParameters)? {
    guard Self.receives(section, in: offer), let mid = section.mid, let kind = RTPParameters.Kind(rawValue: section.kind) else {
      return nil
    }
    if lines[mid] == nil, !vacated.contains(mid) { assign(section, mid, in: offer) }
    guard let line = lines[mid] else {
      answered.free[kind, default: 0] += 1
      return nil
    }
    answered.media.append(.init(track: line.track.id, parameters: line.parameters))
    return line
  }

  /// Ends an answer.
  mutating func finish() {
    answered.rejected = Set(waiting.filter { mismatched.contains($0.kind) }.map(\.id))
  }

  /// Assigns the first track in a codec of the m-line to it.
  private mutating func assign(_ section: MediaDescription, _ mid: Mid, in offer: SessionDescription) {
    for (index, track) in waiting.enumerated() where track.kind.rawValue == section.kind {
      let codec = track.codecs.lazy.compactMap { form in section.codecs.first { $0.matches(form) } }.first
      guard let codec else { continue }
      lines[mid] = (track, parameters(of: section, codec, track, nil, in: offer))
      waiting.remove(at: index)
      return
    }
    if let kind = RTPParameters.Kind(rawValue: section.kind) { mismatched.insert(kind) }
  }

  /// - Parameter encodings: the SSRCs; nil to choose new ones.
  private func parameters(
    of section: MediaDescription, _ codec: RTPCodec, _ track: TrackToSend, _ encodings: [RTPEncoding]?,
    in offer: SessionDescription
  ) -> RTPParameters {
    let extensions = offer.headerExtensions(of: section, for: [codec]).filter { $0.key != .rid && $0.key != .repairedRid }
    let answered = codec.answered(extensions: extensions)
    var encodings = encodings ?? [RTPEncoding(ssrc: unusedSSRC(besides: []))]
    if answered.rtxPayloadType == nil {
      encodings[0].rtxSSRC = nil
    } else if encodings[0].rtxSSRC == nil {
      encodings[0].rtxSSRC = unusedSSRC(besides: encodings.compactMap(\.ssrc))
    }
    return RTPParameters(
      mid: section.mid ?? "", kind: track.kind, codecs: [answered], headerExtensions: extensions, encodings: encodings,
      cname: track.stream, reducedSizeRTCP: section.attributes.has("rtcp-rsize"))
  }

  /// Whether the other end only receives on an m-line.
  private static func receives(_ section: MediaDescription, in offer: SessionDescription) -> Bool {
    let direction = offer.direction(of: section)
    return !section.isRejected && section.isRTP && direction.receives && !direction.sends
  }

  private func unusedSSRC(besides chosen: [SSRC]) -> SSRC {
    SSRC.unused(besides: Set(chosen + lines.values.flatMap(\.parameters.ssrcs)), by: randomSSRC)
  }
}
