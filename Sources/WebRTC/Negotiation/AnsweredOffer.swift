import RoomRTP

/// An accepted offer: the answer to send back, and what the other end will send from now on.
public struct AnsweredOffer: Sendable, Hashable {
  /// The answer as text.
  public var sdp: String
  /// The transport parameters of the other end.
  public var remote: TransportParameters
  /// Whether this is the first offer, or the other end restarted ICE or changed its certificate.
  public var remoteChanged: Bool
  /// All m-lines on which the other end sends, in the order of the offer.
  public var media: [RTPParameters]
  /// The entries of `media` that did not send before.
  public var added: [RTPParameters]
  /// The entries of `media` that sent before with other parameters.
  public var changed: [RTPParameters]
  /// The mids that no longer send.
  public var removed: [Mid]
  /// The m-lines that would send but have no common codec.
  public var rejected: [RejectedMedia]
  /// What the other end says of its data channels; nil if it offered none or they were rejected.
  public var data: DataParameters?
  /// What this side sends; nil if it only receives.
  public var sending: AnsweredSending?
}

/// The answering half of a transport on which the other end sends. The value stores the m-lines across offers (RFC 8829).
struct AnsweringMedia: Sendable {
  /// Selects codecs of an m-line, given in the other end's order of preference; omitted codecs are not answered.
  typealias CodecChoice = @Sendable (RTPParameters.Kind, [RTPCodec]) -> [RTPCodec]

  private struct Line {
    var mid: Mid?
    var kind: String
    var isRejected: Bool
    /// The media that the other end currently sends on the m-line; nil if it sends nothing.
    var parameters: RTPParameters?
  }

  var local: TransportParameters
  let maximumMedia: Int
  /// Whether `a=simulcast` is answered; without it a peer sends only its first layer.
  let simulcast: Bool
  /// What is answered to data channels; nil to reject them.
  let data: DataParameters?
  private static let maximumLayers = 3
  let choice: CodecChoice
  private var lines: [Line] = []
  /// The m-lines on which this side sends; nil if it only receives.
  private var sending: SendingLines?
  private var remote: TransportParameters?
  private let sessionID = UInt64.random(in: 1..<1 << 62)
  private var version: UInt64 = 0

  init(
    local: TransportParameters, maximumMedia: Int, simulcast: Bool, data: DataParameters? = nil, sending: SendingLines? = nil,
    choice: @escaping CodecChoice
  ) {
    self.local = local
    self.sending = sending
    self.data = data
    self.maximumMedia = maximumMedia
    self.simulcast = simulcast
    self.choice = choice
  }

  /// - Parameter tracks: what this side sends.
  mutating func answer(_ text: String, sending tracks: [TrackToSend] = []) throws(NegotiationError) -> AnsweredOffer {
    let offer = try SessionDescription(negotiating: text)
    guard offer.media.count <= maximumMedia else { throw .tooManyMedia(limit: maximumMedia) }
    guard !offer.media.isEmpty else { throw .refused("the offer has no m-line") }
    guard offer.media.count >= lines.count else {
      throw .refused(
        "the offer has \(offer.media.count) m-lines, but the last one had \(lines.count); keep closed m-lines with port 0")
    }
    let transport = try remoteTransport(of: offer)
    var result = AnsweredOffer(
      sdp: "", remote: transport, remoteChanged: transport.differs(from: remote), media: [], added: [], changed: [],
      removed: [], rejected: [])
    var next: [Line] = []
    var sections: [MediaDescription] = []
    var sending = sending
    sending?.begin(tracks, in: offer)
    for (index, section) in offer.media.enumerated() {
      let previous = index < lines.count ? lines[index] : nil
      if let previous, !previous.isRejected, !section.isRejected,
        previous.mid != section.mid || previous.kind != section.kind
      {
        throw .refused("m-line \(index + 1) was \(previous.kind) \(previous.mid ?? "") and cannot change while in use")
      }
      let isFirst = !sections.contains { !$0.isRejected }
      if !section.isRejected, let data, let theirs = section.data, result.data == nil, let mid = section.mid {
        next.append(Line(mid: mid, kind: section.kind, isRejected: false))
        sections.append(
          MediaDescription(
            data, mid: mid, transport: section.transport, local: local, setup: setup, carriesCandidates: isFirst))
        result.data = theirs
        continue
      }
      if let (track, parameters) = sending?.take(section, in: offer) {
        var described = parameters
        // Without the extension of rids libwebrtc refuses its own next offer of a simulcast, on another m-line.
        described.headerExtensions = offer.headerExtensions(of: section, for: parameters.codecs)
        var answer = MediaDescription(
          described, direction: .sendonly, transport: section.transport, local: local, setup: setup, carriesCandidates: isFirst)
        answer.announce(parameters, stream: track.stream, track: track.id)
        next.append(Line(mid: section.mid, kind: section.kind, isRejected: false))
        sections.append(answer)
        result.note(nil, before: previous?.parameters)
        continue
      }
      let (line, answer, reason) = answer(section, in: offer, previous: previous, isFirst: isFirst)
      next.append(line)
      sections.append(answer)
      if let reason { result.rejected.append(RejectedMedia(mid: line.mid ?? "", reason: reason)) }
      result.note(line.parameters, before: previous?.parameters)
    }
    try Self.checkSSRCs(of: result.media)
    sending?.finish()
    result.sending = sending?.answered
    self.sending = sending
    lines = next
    remote = transport
    version += 1
    result.sdp = SessionDescription(sessionID: sessionID, version: version, local: local, media: sections).text
    return result
  }

  /// Whether an offer has other ICE credentials than the last one. False for the first offer, and for one that can't be read.
  func restartsICE(_ text: String) -> Bool {
    guard let remote, let offer = try? SessionDescription(negotiating: text), let next = try? remoteTransport(of: offer) else {
      return false
    }
    return next.credentials != remote.credentials
  }

  private var setup: String { local.role == .server ? "passive" : "active" }

  /// Returns the transport parameters of the offer. If every m-line is closed, the transport does not change.
  private func remoteTransport(of offer: SessionDescription) throws(NegotiationError) -> TransportParameters {
    if let remote, offer.media.allSatisfy(\.isRejected) { return remote }
    return try offer.negotiatedTransport(answeredBy: local)
  }

  private func answer(
    _ section: MediaDescription, in offer: SessionDescription, previous: Line?, isFirst: Bool
  ) -> (Line, MediaDescription, String?) {
    func reject(_ reason: String?) -> (Line, MediaDescription, String?) {
      (
        Line(mid: section.mid, kind: section.kind, isRejected: true),
        MediaDescription(
          rejected: section.mid, kind: section.kind, transport: section.transport, formats: section.formats), reason
      )
    }
    guard !section.isRejected else { return reject(nil) }
    guard section.isRTP, let kind = RTPParameters.Kind(rawValue: section.kind), let mid = section.mid else {
      return reject("only audio and video over UDP/TLS/RTP/SAVPF are supported")
    }
    let sends = offer.direction(of: section).sends
    var codecs = choice(kind, section.codecs)
    // A continuing stream keeps its codec, whatever the order of a later offer.
    if let current = previous?.parameters?.codecs.first,
      let same = section.codecs.first(where: { $0.payloadType == current.payloadType && $0.matches(current) })
    {
      codecs = [same]
    }
    guard !codecs.isEmpty else { return reject(sends ? "no codec in common" : nil) }
    // A later answer may send any codec on it.
    if !sends, sending != nil { codecs = section.codecs.filter { $0.canonical != nil } }

    let (encodings, cname) = section.streams
    let extensions = offer.headerExtensions(of: section, for: codecs).filter { $0.key != .playoutDelay }
    var parameters = RTPParameters(
      mid: mid, kind: kind, codecs: codecs.map { $0.answered(extensions: extensions) }, headerExtensions: extensions,
      encodings: Array(encodings.prefix(1)), cname: cname, reducedSizeRTCP: section.attributes.has("rtcp-rsize"))
    if parameters.codecs.first?.rtxPayloadType == nil { parameters.encodings[0].rtxSSRC = nil }
    let hasRepair = parameters.codecs.first?.rtxPayloadType != nil
    let rids = simulcast && sends && extensions[.rid] != nil ? Self.accepted(section.simulcastRids("send")) : []
    let group = simulcast && sends && rids.isEmpty && kind == .video ? section.simulcastGroup : []
    if rids.count > 1 {
      parameters.encodings = rids.map { RTPEncoding(rid: $0) }
    } else if (2...Self.maximumLayers).contains(group.count) {
      parameters.encodings = group.map { ssrc in
        RTPEncoding(ssrc: ssrc, rtxSSRC: hasRepair ? encodings.first { $0.ssrc == ssrc }?.rtxSSRC : nil)
      }
    }
    if parameters.encodings.count > 1 { parameters.headerExtensions[.dependencyDescriptor] = nil }

    var answer = MediaDescription(
      parameters, direction: sends ? .recvonly : .inactive, transport: section.transport, local: local,
      setup: setup, carriesCandidates: isFirst)
    if rids.count > 1 {
      for rid in rids { answer.add("rid", "\(rid) recv") }
      answer.add("simulcast", "recv " + rids.map(\.rawValue).joined(separator: ";"))
    }
    return (Line(mid: mid, kind: section.kind, isRejected: false, parameters: sends ? parameters : nil), answer, nil)
  }

  /// The layers of an offer that are answered. Of more than the maximum these include the first and the last, because
  /// clients list them in either order of quality.
  private static func accepted(_ rids: [Rid]) -> [Rid] {
    guard rids.count > maximumLayers, let last = rids.last else { return rids }
    return rids.prefix(maximumLayers - 1) + [last]
  }

  private static func checkSSRCs(of media: [RTPParameters]) throws(NegotiationError) {
    var seen: Set<SSRC> = []
    for ssrc in media.flatMap(\.ssrcs) where !seen.insert(ssrc).inserted {
      throw .refused("SSRC \(ssrc) is used by two streams")
    }
  }
}

extension AnsweredOffer {
  fileprivate mutating func note(_ now: RTPParameters?, before: RTPParameters?) {
    if let now { media.append(now) }
    switch (before, now) {
    case (nil, let now?): added.append(now)
    case (let before?, nil): removed.append(before.mid)
    case (let before?, let now?) where before.mid != now.mid:
      removed.append(before.mid)
      added.append(now)
    case (let before?, let now?) where before != now: changed.append(now)
    default: break
    }
  }
}

extension TransportParameters {
  func differs(from other: TransportParameters?) -> Bool {
    other?.credentials != credentials || other?.fingerprints != fingerprints
  }
}

extension RTPCodec {
  /// Returns the offered codec for an answer: parameters and feedback supported by both ends, with the payload types of the
  /// offer.
  func answered(extensions: [RTPHeaderExtension: UInt8]) -> RTPCodec {
    var codec = self
    let ours = canonical?.feedback ?? []
    codec.feedback = feedback.intersection(ours)
    if extensions[.transportSequence] == nil { codec.feedback.remove(.transportCC) }
    if !codec.feedback.contains(.nack) { codec.rtxPayloadType = nil }
    // One congestion signal is sufficient, and transport-cc is better.
    if codec.feedback.contains(.transportCC) { codec.feedback.remove(.remb) }
    switch name {
    case "opus":
      codec.parameters = RTPCodec.opus.parameters
      // A peer that announces stereo is asked to send it.
      if parameters["sprop-stereo"] == "1" || parameters["stereo"] == "1" { codec.parameters["stereo"] = "1" }
    default:
      let kept = [
        "level-asymmetry-allowed", "packetization-mode", "profile-level-id", "profile-id", "profile", "level-idx", "tier",
      ]
      codec.parameters = parameters.filter { kept.contains($0.key) }
    }
    return codec
  }
}
