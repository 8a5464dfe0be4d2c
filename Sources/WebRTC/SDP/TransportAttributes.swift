import RoomRTP

/// The direction of media, as an `a=` line states it.
public enum MediaDirection: String, Sendable, Hashable, CaseIterable {
  case sendrecv, sendonly, recvonly, inactive

  public var sends: Bool { self == .sendrecv || self == .sendonly }
  public var receives: Bool { self == .sendrecv || self == .recvonly }
}

extension MediaDescription {
  /// `a=mid`; nil if the m-line has none.
  public var mid: Mid? { attributes.value("mid").map(Mid.init(_:)) }

  /// Whether the m-line is rejected or closed: port 0 without `a=bundle-only` (RFC 9143 §6).
  public var isRejected: Bool { port == 0 && !attributes.has("bundle-only") }

  /// The m-line's own direction; nil if the direction of the session, or `sendrecv`, applies.
  var ownDirection: MediaDirection? { MediaDirection.allCases.first { attributes.has($0.rawValue) } }
}

extension SessionDescription {
  /// The mids of the first `a=group:BUNDLE`; empty if absent.
  public var bundle: [Mid] {
    for value in attributes.values("group") {
      let words = value.split(separator: " ")
      if words.first == "BUNDLE" { return words.dropFirst().map { Mid(String($0)) } }
    }
    return []
  }

  /// Returns the effective direction of an m-line (RFC 8866 §6.7).
  public func direction(of section: MediaDescription) -> MediaDirection {
    section.ownDirection ?? MediaDirection.allCases.first { attributes.has($0.rawValue) } ?? .sendrecv
  }

  /// The maximum number of candidates read from one description; further ones are ignored.
  static let maximumCandidates = 64

  /// Returns the ICE and DTLS parameters of the description. The description's m-lines share one transport (BUNDLE), so the
  /// first active m-line with credentials represents all of them; session-level values are the fallback.
  /// - Throws: `SDPError` if credentials, fingerprint or `a=setup` are missing or malformed.
  public func transport() throws(SDPError) -> TransportParameters {
    let live = media.filter { !$0.isRejected }
    let section = live.first { $0.attributes.has("ice-ufrag") } ?? live.first
    func value(_ name: String) -> String? { section?.attributes.value(name) ?? attributes.value(name) }
    guard let ufrag = value("ice-ufrag"), let password = value("ice-pwd") else {
      throw SDPError(line: section?.line, "the m-line has no a=ice-ufrag and a=ice-pwd")
    }
    let credentials = ICECredentials(ufrag: ufrag, password: password)
    guard credentials.isWellFormed else {
      throw SDPError(line: section?.line, "a=ice-ufrag or a=ice-pwd has a length or a character that ICE does not allow")
    }

    let own = section?.attributes.values("fingerprint") ?? []
    let fingerprints = own.isEmpty ? attributes.values("fingerprint") : own
    guard !fingerprints.isEmpty else { throw SDPError(line: section?.line, "the m-line has no a=fingerprint") }
    var hashes: [Fingerprint] = []
    for text in fingerprints.prefix(8) {
      guard let hash = Fingerprint(attribute: text) else {
        throw SDPError(line: section?.line, "a=fingerprint is not a hash name followed by hexadecimal bytes")
      }
      hashes.append(hash)
    }

    let role: DTLSRole?
    switch value("setup") {
    case "active": role = .client
    case "passive": role = .server
    case "actpass", nil: role = nil
    default: throw SDPError(line: section?.line, "a=setup is not active, passive or actpass")
    }

    var candidates: [ICECandidate] = []
    var seen: Set<TransportAddress> = []
    for text in live.flatMap({ $0.attributes.values("candidate") }) where candidates.count < Self.maximumCandidates {
      guard let candidate = ICECandidate(attribute: text), seen.insert(candidate.address).inserted else { continue }
      candidates.append(candidate)
    }
    return TransportParameters(
      credentials: credentials, fingerprints: hashes, role: role,
      iceLite: attributes.has("ice-lite"), candidates: candidates)
  }
}

extension ICECredentials {
  /// Whether both consist of ice-char and have 4 to 256 and 22 to 256 characters (RFC 8839 §5.4).
  var isWellFormed: Bool {
    (4...256).contains(ufrag.utf8.count) && (22...256).contains(password.utf8.count)
      && (ufrag + password).utf8.allSatisfy(Self.isICECharacter)
  }

  private static func isICECharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    // Not allowed by ICE, but sent by peers that use another base64 alphabet.
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="): true
    default: false
    }
  }
}

extension Fingerprint {
  /// Parses the value of `a=fingerprint`: "sha-256 AB:CD:…". Returns nil if it is malformed.
  public init?(attribute: String) {
    let words = attribute.split(separator: " ")
    guard words.count == 2 else { return nil }
    let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (16...64).contains(pairs.count) else { return nil }
    var bytes: [UInt8] = []
    for pair in pairs {
      guard pair.utf8.count == 2, let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    let algorithm = words[0].lowercased()
    if algorithm == "sha-256" && bytes.count != 32 { return nil }
    self.init(algorithm: algorithm, bytes: bytes)
  }

  /// The value of `a=fingerprint`.
  public var attribute: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text.append(UInt8(ascii: ":")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return "\(algorithm) \(String(decoding: text, as: UTF8.self))"
  }
}

extension ICECandidate {
  /// Parses the value of `a=candidate` (RFC 8839 §5.1, RFC 6544 §4.5). Returns nil for TCP candidates that are not passive,
  /// host names, the RTCP component and malformed values.
  public init?(attribute: String) {
    let words = attribute.split(separator: " ")
    guard words.count >= 8, words[0].utf8.count <= 32, words[1] == "1",
      let priority = UInt32(words[3]), let port = UInt16(words[5]), port > 0, words[6] == "typ",
      let kind = Kind(rawValue: String(words[7])), var address = TransportAddress(host: String(words[4]), port: port)
    else { return nil }
    switch words[2].lowercased() {
    case "udp": break
    case "tcp":
      let extensions = words[8...]
      guard let name = extensions.firstIndex(of: "tcptype"), name + 1 < words.endIndex, words[name + 1] == "passive" else {
        return nil
      }
      address.isTCP = true
    default: return nil
    }
    self.init(foundation: String(words[0]), priority: priority, address: address, kind: kind)
  }

  /// The value of `a=candidate`.
  public var attribute: String {
    let related = kind == .host ? "" : " raddr \(address.isIPv4 ? "0.0.0.0" : "::") rport 0"
    let type = address.isTCP ? " tcptype passive" : ""
    return "\(foundation) 1 \(address.isTCP ? "tcp" : "udp") \(priority) \(address.host) \(address.port) typ \(kind.rawValue)"
      + related + type
  }
}
