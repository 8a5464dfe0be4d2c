import RoomRTP

/// The result of an answer.
public struct AcceptedAnswer: Sendable, Hashable {
  /// The transport parameters of the other end; nil if it rejected every m-line.
  public var remote: TransportParameters?
  /// The m-lines on which sending is newly allowed: codecs, extensions and feedback as limited by the answer. The first codec
  /// is the one to send.
  public var accepted: [RTPParameters]
  /// The m-lines that the answer rejected or no longer accepts.
  public var rejected: [RejectedMedia]
  /// What the other end says of its data channels; nil if they were not offered or were rejected.
  public var data: DataParameters?
}

/// The offering half of a transport on which this side sends. The value stores the m-lines across offers (RFC 8829).
///
/// One offer is pending at a time; changes made meanwhile are part of the next one.
struct OfferedMedia: Sendable {
  struct Track: Sendable {
    var parameters: RTPParameters
    var stream: String
    var track: String
    var isAccepted = false
  }

  private struct Line {
    var mid: Mid
    /// The kind of media; nil for data channels.
    var kind: RTPParameters.Kind?
    /// The codecs of its track, or of its last track while inactive.
    var codecs: [RTPCodec]
    /// The track; nil while the m-line is inactive.
    var track: Track?
    /// The stream and the track that ended on it, until that is offered. Browsers report no other track on an m-line that was not
    /// inactive before.
    var ended: (stream: String, track: String)?
    /// Rejected or abandoned: offered with port 0.
    var isRejected = false
    /// Both ends have it at port 0, so it may be recycled under a new mid.
    var isFree = false

    var kindName: String { kind?.rawValue ?? "application" }
  }

  /// What is offered of data channels.
  private static let data = DataParameters()

  var local: TransportParameters
  let maximumMedia: Int
  /// The extensions of videos besides those of all media.
  private let videoExtensions: [RTPHeaderExtension]
  private let randomSSRC: @Sendable () -> SSRC
  private var lines: [Line] = []
  /// The m-lines as offered, while the answer is pending.
  private var pending: [Line]?
  private var changed = false
  private var count = 0
  private let sessionID = UInt64.random(in: 1..<1 << 62)
  private var version: UInt64 = 0

  init(
    local: TransportParameters, maximumMedia: Int, videoExtensions: [RTPHeaderExtension] = [],
    randomSSRC: @escaping @Sendable () -> SSRC
  ) {
    self.local = local
    self.maximumMedia = maximumMedia
    self.videoExtensions = videoExtensions
    self.randomSSRC = randomSSRC
  }

  var needsOffer: Bool { changed && pending == nil }
  var isPending: Bool { pending != nil }

  /// Assigns a track to an inactive m-line of its kind, to a rejected one, or to a new one. Selects the SSRCs.
  /// - Parameter rids: the layers of a simulcast; empty without.
  mutating func add(
    kind: RTPParameters.Kind, codecs: [RTPCodec], rids: [Rid] = [], cname: String, stream: String, track: String
  ) throws(NegotiationError) -> RTPParameters {
    guard !lines.contains(where: { $0.track?.track == track && $0.track?.stream == stream }) else {
      throw .refused("track \(track) of \(stream) is already on an m-line")
    }
    let free = freeLine(for: (stream, track), kind: kind, codecs: codecs)
    guard free != nil || lines.count < maximumMedia else { throw .tooManyMedia(limit: maximumMedia) }
    count += 1
    let mid: Mid
    if let free, !lines[free].isRejected { mid = lines[free].mid } else { mid = "\(count - 1)" }
    let hasRepair = codecs.contains { $0.rtxPayloadType != nil }
    var chosen: Set<SSRC> = []
    let encodings = (rids.isEmpty ? [nil] : rids.map { Optional($0) }).map { rid in
      let ssrc = unusedSSRC(besides: &chosen)
      return RTPEncoding(ssrc: ssrc, rtxSSRC: hasRepair ? unusedSSRC(besides: &chosen) : nil, rid: rid)
    }
    let known: [RTPHeaderExtension] =
      [.absSendTime, .transportSequence, .mid] + (kind == .audio ? [.audioLevel] : videoExtensions)
      + (rids.isEmpty ? [] : [.rid, .repairedRid])
      + (rids.isEmpty && codecs.haveDependencyDescriptor ? [.dependencyDescriptor] : [])
    let parameters = RTPParameters(
      mid: mid, kind: kind, codecs: codecs,
      headerExtensions: Dictionary(uniqueKeysWithValues: known.map { ($0, $0.canonicalID) }),
      encodings: encodings, cname: cname)
    let line = Line(
      mid: mid, kind: kind, codecs: codecs, track: Track(parameters: parameters, stream: stream, track: track))
    if let free { lines[free] = line } else { lines.append(line) }
    changed = true
    return parameters
  }

  /// Adds the m-line of data channels; ignored if there is one. An m-line that the other end rejected stays rejected.
  mutating func addData() throws(NegotiationError) {
    guard !lines.contains(where: { $0.kind == nil }) else { return }
    guard lines.count < maximumMedia else { throw .tooManyMedia(limit: maximumMedia) }
    count += 1
    lines.append(Line(mid: "\(count - 1)", kind: nil, codecs: []))
    changed = true
  }

  /// Adds an m-line without a track.
  mutating func addInactive(kind: RTPParameters.Kind, codecs: [RTPCodec]) {
    guard pending == nil, lines.count < maximumMedia else { return }
    count += 1
    lines.append(Line(mid: "\(count - 1)", kind: kind, codecs: codecs))
    changed = true
  }

  /// Takes new ICE credentials for the next offer. An offer in flight no longer counts: the next one replaces it.
  mutating func restart(_ credentials: ICECredentials) {
    local.credentials = credentials
    pending = nil
    changed = true
  }

  /// Returns the m-line for a new track; nil to append one.
  private func freeLine(
    for track: (stream: String, track: String), kind: RTPParameters.Kind, codecs: [RTPCodec]
  ) -> Int? {
    // While an answer is pending, it is unknown which m-lines it will reject.
    guard pending == nil else { return nil }
    let vacant = lines.indices.filter { lines[$0].track == nil && !lines[$0].isRejected && lines[$0].kind == kind }
    let idle = vacant.filter { index in lines[index].ended.map { $0 == track } ?? true }
    // Some peers (GStreamer 1.22) do not support a codec change within an m-line, so it is the last resort.
    let types = codecs.map(\.payloadType)
    let same = idle.first { lines[$0].codecs.map(\.payloadType) == types }
    if let line = same ?? lines.firstIndex(where: { $0.isFree && $0.kind != nil }) { return line }
    return lines.count < maximumMedia ? nil : idle.first ?? vacant.first
  }

  /// Makes the m-line inactive and available for another track of its kind. Ignores an unknown mid.
  mutating func remove(mid: Mid) {
    guard let index = lines.firstIndex(where: { $0.mid == mid && $0.track != nil }), let track = lines[index].track else {
      return
    }
    lines[index].track = nil
    lines[index].ended = (track.stream, track.track)
    changed = true
  }

  mutating func makeOffer() -> String {
    for index in lines.indices { lines[index].ended = nil }
    pending = lines
    changed = false
    version += 1
    var isFirst = true
    let levels = levels
    let sections = lines.map { line in
      let section = describe(line, levels: levels, isFirst: isFirst)
      if !section.isRejected { isFirst = false }
      return section
    }
    return SessionDescription(sessionID: sessionID, version: version, local: local, media: sections).text
  }

  mutating func accept(_ text: String) throws(NegotiationError) -> AcceptedAnswer {
    guard let offered = pending else { throw .noOfferPending }
    let answer = try SessionDescription(negotiating: text)
    guard answer.media.count == offered.count else {
      throw .refused("the answer has \(answer.media.count) m-lines, but the offer had \(offered.count)")
    }
    for (line, section) in zip(offered, answer.media) where !section.isRejected {
      guard section.mid == line.mid, section.kind == line.kindName, !line.isRejected else {
        throw .refused("the answer's m-line \(section.mid ?? "") does not match the offer's \(line.mid)")
      }
    }
    var result = AcceptedAnswer(remote: nil, accepted: [], rejected: [])
    if !answer.media.allSatisfy(\.isRejected) { result.remote = try remoteTransport(of: answer) }
    for (index, section) in answer.media.enumerated() {
      settle(index, section, in: answer, into: &result)
    }
    pending = nil
    return result
  }

  private func remoteTransport(of answer: SessionDescription) throws(NegotiationError) -> TransportParameters {
    var transport = try answer.negotiatedTransport()
    let expected: DTLSRole = local.role == .server ? .client : .server
    if transport.role != expected {
      throw .refused("a=setup of the answer is not \(expected == .client ? "active" : "passive")")
    }
    transport.role = expected
    return transport
  }

  private mutating func settle(
    _ index: Int, _ section: MediaDescription, in answer: SessionDescription, into result: inout AcceptedAnswer
  ) {
    if section.isRejected {
      lines[index].isRejected = true
      lines[index].isFree = true
    }
    if lines[index].kind == nil { result.data = section.isRejected ? nil : section.data }
    // Nil if the track was removed meanwhile; no other track can have replaced it.
    guard let track = lines[index].track else { return }
    let narrowed = track.parameters.narrowed(by: section, in: answer)
    if !section.isRejected, answer.direction(of: section).receives, let narrowed {
      if !track.isAccepted { result.accepted.append(narrowed) }
      lines[index].track?.isAccepted = true
      return
    }
    lines[index].track = nil
    let reason =
      section.isRejected
      ? "the m-line was rejected: no codec in common" : narrowed == nil ? "no codec in common" : "the answer does not receive"
    result.rejected.append(RejectedMedia(mid: track.parameters.mid, reason: reason))
    if !section.isRejected {
      // The other end would also reject the next track on it.
      lines[index].isRejected = true
      changed = true
    }
  }

  /// The highest level of H.264 for each payload type, which has one configuration in a bundle (RFC 8843 §10.1.2).
  private var levels: [UInt8: H264Level] {
    var levels: [UInt8: H264Level] = [:]
    for codec in lines.lazy.filter({ !$0.isRejected }).flatMap(\.codecs) {
      if let level = codec.h264Level { levels[codec.payloadType] = max(level, levels[codec.payloadType] ?? level) }
    }
    return levels
  }

  private func describe(_ line: Line, levels: [UInt8: H264Level], isFirst: Bool) -> MediaDescription {
    guard let kind = line.kind else {
      return line.isRejected
        ? MediaDescription(
          rejected: line.mid, kind: line.kindName, transport: "UDP/DTLS/SCTP", formats: ["webrtc-datachannel"])
        : MediaDescription(Self.data, mid: line.mid, local: local, setup: "actpass", carriesCandidates: isFirst)
    }
    if line.isRejected {
      return MediaDescription(rejected: line.mid, kind: kind.rawValue, transport: "UDP/TLS/RTP/SAVPF", formats: ["0"])
    }
    guard let track = line.track else {
      let codecs = line.codecs.map { $0.at(levels[$0.payloadType]) }
      let parameters = RTPParameters(mid: line.mid, kind: kind, codecs: codecs)
      return MediaDescription(
        parameters, direction: .inactive, local: local, setup: "actpass", carriesCandidates: isFirst)
    }
    var parameters = track.parameters
    parameters.codecs = parameters.codecs.map { $0.at(levels[$0.payloadType]) }
    var section = MediaDescription(
      parameters, direction: .sendonly, local: local, setup: "actpass", carriesCandidates: isFirst)
    section.announce(track.parameters, stream: track.stream, track: track.track)
    return section
  }

  private func unusedSSRC(besides chosen: inout Set<SSRC>) -> SSRC {
    let used = Set(lines.compactMap(\.track).flatMap(\.parameters.ssrcs))
    let ssrc = SSRC.unused(besides: used.union(chosen), by: randomSSRC)
    chosen.insert(ssrc)
    return ssrc
  }
}

extension RTPParameters {
  /// Returns the offered m-line as limited by its answer; nil if no codec is left.
  fileprivate func narrowed(by answer: MediaDescription, in session: SessionDescription) -> RTPParameters? {
    var parameters = self
    parameters.headerExtensions = session.headerExtensions(of: answer, for: codecs).filter {
      headerExtensions[$0.key] == $0.value
    }
    parameters.codecs = answer.codecs.compactMap { answered in
      guard var codec = codecs.first(where: { $0.payloadType == answered.payloadType && $0.name == answered.name }) else {
        return nil
      }
      if answered.rtxPayloadType != codec.rtxPayloadType { codec.rtxPayloadType = nil }
      if answered.redPayloadType != codec.redPayloadType { codec.redPayloadType = nil }
      codec.feedback.formIntersection(answered.feedback)
      if !codec.feedback.contains(.nack) { codec.rtxPayloadType = nil }
      if parameters.headerExtensions[.transportSequence] == nil { codec.feedback.remove(.transportCC) }
      return codec
    }
    guard let first = parameters.codecs.first else { return nil }
    if encodings.contains(where: { $0.rid != nil }) { parameters.narrowLayers(by: answer) }
    if first.rtxPayloadType == nil {
      for index in parameters.encodings.indices { parameters.encodings[index].rtxSSRC = nil }
    }
    parameters.reducedSizeRTCP = answer.attributes.has("rtcp-rsize")
    return parameters
  }

  /// Keeps the layers that the answer receives. Without simulcast that is the last one, which has the best quality.
  private mutating func narrowLayers(by answer: MediaDescription) {
    let rids = headerExtensions[.rid] == nil ? [] : answer.simulcastRids("recv")
    let received = encodings.filter { $0.rid.map(rids.contains) ?? false }
    guard received.isEmpty else {
      encodings = received
      return
    }
    encodings = encodings.suffix(1).map { RTPEncoding(ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC) }
    headerExtensions[.rid] = nil
    headerExtensions[.repairedRid] = nil
  }
}

extension String {
  /// The text as an SDP token of at most 64 characters (RFC 8830's msid); other characters are percent-encoded.
  var sdpToken: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var token: [UInt8] = []
    for byte in utf8 {
      let isPlain =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      let encoded = isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      if token.count + encoded.count > 64 { break }
      token += encoded
    }
    return token.isEmpty ? "-" : String(decoding: token, as: UTF8.self)
  }
}
