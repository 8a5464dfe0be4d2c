import RoomRTP

/// The RTP properties of an m-line: codecs, header extensions, SSRCs and rids.
extension MediaDescription {
  /// The codecs in order of preference, each with the payload types of its RTX and RED if it has them. Formats without
  /// `a=rtpmap`, and RTX, RED and FEC themselves, are omitted.
  public var codecs: [RTPCodec] {
    var maps: [UInt8: Substring] = [:]
    var parameters: [UInt8: [String: String]] = [:]
    var feedback: [UInt8: RTCPFeedback] = [:]
    var common: RTCPFeedback = []
    for attribute in attributes {
      guard let value = attribute.value, let (subject, rest) = value.splitAtSpace() else { continue }
      switch attribute.name {
      case "rtpmap":
        if let type = UInt8(subject), maps[type] == nil { maps[type] = rest }
      case "fmtp":
        if let type = UInt8(subject) { parameters[type, default: [:]].merge(Self.parameters(rest)) { $1 } }
      case "rtcp-fb":
        let kind = RTCPFeedback(attribute: rest)
        if subject == "*" {
          common.formUnion(kind)
        } else if let type = UInt8(subject) {
          feedback[type, default: []].formUnion(kind)
        }
      default: break
      }
    }

    var codecs: [RTPCodec] = []
    var retransmissions: [UInt8: UInt8] = [:]
    var redundancies: [UInt8: (type: UInt8, clockRate: UInt32)] = [:]
    for format in formats {
      // Payload types 64–95 are reserved for RTCP under rtcp-mux (RFC 5761 §4).
      guard let type = UInt8(format), type < 64 || (96...127).contains(type), let map = maps[type] else { continue }
      let words = map.split(separator: "/")
      guard words.count >= 2, let rate = UInt32(words[1]), rate > 0 else { continue }
      let name = words[0].lowercased()
      if name == "rtx" {
        if let primary = parameters[type]?["apt"].flatMap(UInt8.init), retransmissions[primary] == nil {
          retransmissions[primary] = type
        }
        continue
      }
      if name == "red", let primary = Self.primary(parameters[type]), redundancies[primary] == nil {
        redundancies[primary] = (type, rate)
      }
      if ["red", "ulpfec", "flexfec-03", "cn", "telephone-event"].contains(name) { continue }
      if codecs.contains(where: { $0.payloadType == type }) { continue }
      codecs.append(
        RTPCodec(
          name: name, payloadType: type, clockRate: rate, channels: words.count > 2 ? UInt8(words[2]) ?? 1 : 1,
          parameters: parameters[type] ?? [:], feedback: common.union(feedback[type] ?? [])))
    }
    for index in codecs.indices {
      let type = codecs[index].payloadType
      codecs[index].rtxPayloadType = retransmissions[type]
      if kind == "audio", let red = redundancies[type], red.clockRate == codecs[index].clockRate {
        codecs[index].redPayloadType = red.type
      }
    }
    return codecs
  }

  /// Returns the payload type in RED's parameters if all blocks have the same ("111/111", RFC 2198 §5); nil otherwise.
  private static func primary(_ parameters: [String: String]?) -> UInt8? {
    guard let parameters, parameters.count == 1, let list = parameters.keys.first else { return nil }
    let types = list.split(separator: "/", omittingEmptySubsequences: false).prefix(33).map { UInt8($0) }
    guard types.count <= 32, let first = types.first, types.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  /// Parses "a=1;b=2" into pairs with lowercase keys; a token without an equals sign has an empty value.
  private static func parameters(_ text: Substring) -> [String: String] {
    var pairs: [String: String] = [:]
    for part in text.split(separator: ";") {
      let trimmed = part.trimmingSpaces()
      if trimmed.isEmpty { continue }
      if let equals = trimmed.firstIndex(of: "=") {
        pairs[trimmed[..<equals].lowercased()] = String(trimmed[trimmed.index(after: equals)...])
      } else {
        pairs[String(trimmed)] = ""
      }
    }
    return pairs
  }

  /// The supported header extensions of the m-line, with ids of the one-byte form (1–14).
  public var headerExtensions: [RTPHeaderExtension: UInt8] {
    var ids: [RTPHeaderExtension: UInt8] = [:]
    for value in attributes.values("extmap") {
      let words = value.split(separator: " ")
      guard words.count >= 2, let known = RTPHeaderExtension(rawValue: String(words[1])) else { continue }
      // "3/sendonly" limits the direction, which the m-line's own direction already states.
      guard let id = words[0].split(separator: "/").first.flatMap({ UInt8($0) }), (1...14).contains(id) else { continue }
      if ids[known] == nil, !ids.values.contains(id) { ids[known] = id }
    }
    return ids
  }

  /// The streams announced by `a=ssrc` and `a=ssrc-group:FID`, and their CNAME. Without such attributes, one stream without an
  /// SSRC.
  var streams: (encodings: [RTPEncoding], cname: String) {
    var order: [SSRC] = []
    var cname = ""
    for value in attributes.values("ssrc") {
      guard let (number, rest) = value.splitAtSpace(), let ssrc = UInt32(number).map(SSRC.init(_:)) else { continue }
      if !order.contains(ssrc), order.count < 16 { order.append(ssrc) }
      if cname.isEmpty, rest.hasPrefix("cname:") { cname = String(rest.dropFirst("cname:".count)) }
    }
    var repairs: [SSRC: SSRC] = [:]
    for value in attributes.values("ssrc-group").prefix(16) {
      let words = value.split(separator: " ")
      guard words.count == 3, words[0] == "FID", let primary = UInt32(words[1]), let repair = UInt32(words[2]) else { continue }
      repairs[SSRC(primary)] = SSRC(repair)
    }
    let primaries = order.filter { !repairs.values.contains($0) }
    let encodings = primaries.map { RTPEncoding(ssrc: $0, rtxSSRC: repairs[$0]) }
    return (encodings.isEmpty ? [RTPEncoding()] : encodings, cname)
  }

  /// The SSRCs of `a=ssrc-group:SIM`, by which clients without rids announce layers; empty without it.
  var simulcastGroup: [SSRC] {
    guard let value = attributes.values("ssrc-group").first(where: { $0.hasPrefix("SIM ") }) else { return [] }
    var layers: [SSRC] = []
    for word in value.split(separator: " ").dropFirst().prefix(8) {
      guard let ssrc = UInt32(word).map(SSRC.init(_:)), !layers.contains(ssrc) else { return [] }
      layers.append(ssrc)
    }
    return layers
  }

  /// Returns the rids of `a=simulcast` (RFC 8853) in the given order, the first of each set of alternatives; empty without
  /// simulcast.
  /// - Parameter direction: "send" or "recv", as the description's author sees it.
  func simulcastRids(_ direction: String) -> [Rid] {
    guard let value = attributes.value("simulcast") else { return [] }
    let words = value.split(separator: " ")
    guard let keyword = words.firstIndex(of: direction[...]), words.indices.contains(keyword + 1) else { return [] }
    let declared = Set(
      attributes.values("rid").compactMap { line -> Rid? in
        let parts = line.split(separator: " ")
        return parts.count >= 2 && parts[1] == direction ? Rid(String(parts[0])) : nil
      })
    var rids: [Rid] = []
    for layer in words[keyword + 1].split(separator: ";").prefix(8) {
      guard let first = layer.split(separator: ",").first else { continue }
      // "~" marks a layer that is initially paused.
      let rid = Rid(String(first.first == "~" ? first.dropFirst() : first))
      if declared.contains(rid), rid.rawValue.utf8.count <= 16, !rids.contains(rid) { rids.append(rid) }
    }
    return rids
  }
}

extension RTCPFeedback {
  /// Parses the part after the payload type in `a=rtcp-fb`; empty for feedback that this project does not use.
  init(attribute: Substring) {
    switch attribute.trimmingSpaces() {
    case "nack": self = .nack
    case "nack pli": self = .pli
    case "ccm fir": self = .fir
    case "transport-cc": self = .transportCC
    case "goog-remb": self = .remb
    default: self = []
    }
  }

  /// The parts after the payload type in `a=rtcp-fb`, one per line.
  var attributes: [String] {
    let names: [(RTCPFeedback, String)] = [
      (.remb, "goog-remb"), (.transportCC, "transport-cc"), (.fir, "ccm fir"), (.nack, "nack"), (.pli, "nack pli"),
    ]
    return names.filter { contains($0.0) }.map(\.1)
  }
}

extension StringProtocol {
  /// Splits the text at the first space; nil if there is none.
  fileprivate func splitAtSpace() -> (SubSequence, SubSequence)? {
    guard let space = firstIndex(of: " ") else { return nil }
    return (self[..<space], self[index(after: space)...])
  }

  fileprivate func trimmingSpaces() -> SubSequence {
    var text = self[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == " " { text = text.dropLast() }
    return text
  }
}
