import RoomRTP

extension MediaDescription {
  /// Creates an m-line for these parameters.
  /// - Parameters:
  ///   - setup: "actpass", "active" or "passive".
  ///   - carriesCandidates: true for the first active m-line, which represents the bundle.
  init(
    _ parameters: RTPParameters, direction: MediaDirection, transport: String = "UDP/TLS/RTP/SAVPF",
    local: TransportParameters, setup: String, carriesCandidates: Bool
  ) {
    self.init(kind: parameters.kind.rawValue, port: 9, transport: transport, formats: [])
    add(parameters.mid, local, setup: setup)
    add(direction.rawValue)
    add("rtcp-mux")
    if parameters.reducedSizeRTCP { add("rtcp-rsize") }
    for (known, id) in parameters.headerExtensions.sorted(by: { $0.value < $1.value }) {
      add("extmap", "\(id) \(known.rawValue)")
    }
    if parameters.headerExtensions[.dependencyDescriptor] != nil { add("extmap-allow-mixed") }
    for codec in parameters.codecs {
      // libwebrtc sends RED only if it precedes its codec. Other receivers take the first codec, so it must not be RED.
      if direction == .recvonly { addRedundancy(of: codec) }
      add(codec, kind: parameters.kind)
      if direction != .recvonly { addRedundancy(of: codec) }
    }
    if carriesCandidates { addCandidates(of: local) }
  }

  /// Creates an m-line of data channels.
  init(
    _ data: DataParameters, mid: Mid, transport: String = "UDP/DTLS/SCTP", local: TransportParameters, setup: String,
    carriesCandidates: Bool
  ) {
    self.init(kind: "application", port: 9, transport: transport, formats: ["webrtc-datachannel"])
    add(mid, local, setup: setup)
    add("sctp-port", "\(data.port)")
    add("max-message-size", "\(data.maximumMessage ?? 0)")
    if carriesCandidates { addCandidates(of: local) }
  }

  /// Creates an m-line that is rejected or closed.
  init(rejected mid: Mid?, kind: String, transport: String, formats: [String]) {
    self.init(kind: kind, port: 0, transport: transport, formats: formats)
    if let mid { add("mid", mid.rawValue) }
    add("inactive")
  }

  /// Announces the streams that are sent on the m-line: `a=msid`, `a=ssrc-group`, `a=ssrc`; or the layers of a simulcast:
  /// `a=rid`, `a=simulcast` (RFC 8851, RFC 8853).
  mutating func announce(_ parameters: RTPParameters, stream: String, track: String) {
    add("msid", "\(stream) \(track)")
    let rids = parameters.encodings.compactMap(\.rid)
    guard rids.isEmpty else {
      for rid in rids { add("rid", "\(rid.rawValue) send") }
      return add("simulcast", "send " + rids.map(\.rawValue).joined(separator: ";"))
    }
    for encoding in parameters.encodings {
      guard let ssrc = encoding.ssrc else { continue }
      if let rtx = encoding.rtxSSRC { add("ssrc-group", "FID \(ssrc) \(rtx)") }
      add("ssrc", "\(ssrc) cname:\(parameters.cname)")
      // Chromium rejects an audio m-line with a second SSRC, but accepts one that only the group lists.
      if let rtx = encoding.rtxSSRC, parameters.kind == .video { add("ssrc", "\(rtx) cname:\(parameters.cname)") }
    }
  }

  mutating func add(_ name: String, _ value: String? = nil) { attributes.append(SDPAttribute(name, value)) }

  private mutating func add(_ mid: Mid, _ local: TransportParameters, setup: String) {
    add("mid", mid.rawValue)
    add("ice-ufrag", local.credentials.ufrag)
    add("ice-pwd", local.credentials.password)
    add("setup", setup)
  }

  private mutating func addCandidates(of local: TransportParameters) {
    for candidate in local.candidates { add("candidate", candidate.attribute) }
    add("end-of-candidates")
  }

  private mutating func add(_ codec: RTPCodec, kind: RTPParameters.Kind) {
    let channels = codec.channels > 1 ? "/\(codec.channels)" : ""
    formats.append("\(codec.payloadType)")
    add("rtpmap", "\(codec.payloadType) \(codec.sdpName)/\(codec.clockRate)\(channels)")
    for line in codec.feedback.attributes { add("rtcp-fb", "\(codec.payloadType) \(line)") }
    if !codec.parameters.isEmpty {
      let pairs = codec.parameters.sorted { $0.key < $1.key }.map { $1.isEmpty ? $0 : "\($0)=\($1)" }
      add("fmtp", "\(codec.payloadType) \(pairs.joined(separator: ";"))")
    }
    guard let rtx = codec.rtxPayloadType else { return }
    formats.append("\(rtx)")
    add("rtpmap", "\(rtx) rtx/\(codec.clockRate)\(channels)")
    add("fmtp", "\(rtx) apt=\(codec.payloadType)")
  }
}

extension MediaDescription {
  /// Adds the RED of a codec, if it has one: every block has the codec's payload type.
  fileprivate mutating func addRedundancy(of codec: RTPCodec) {
    guard let red = codec.redPayloadType else { return }
    formats.append("\(red)")
    add("rtpmap", "\(red) red/\(codec.clockRate)" + (codec.channels > 1 ? "/\(codec.channels)" : ""))
    add("fmtp", "\(red) \(codec.payloadType)/\(codec.payloadType)")
  }
}

extension SessionDescription {
  /// Creates a description with these m-lines in one bundle.
  init(sessionID: UInt64, version: UInt64, local: TransportParameters, media: [MediaDescription]) {
    self.init(sessionID: sessionID, version: version, media: media)
    let mids = media.filter { !$0.isRejected }.compactMap(\.mid)
    if !mids.isEmpty { attributes.append(SDPAttribute("group", "BUNDLE " + mids.map(\.rawValue).joined(separator: " "))) }
    if local.iceLite { attributes.append(SDPAttribute("ice-lite")) }
    attributes.append(SDPAttribute("msid-semantic", " WMS *"))
    for fingerprint in local.fingerprints { attributes.append(SDPAttribute("fingerprint", fingerprint.attribute)) }
  }
}
