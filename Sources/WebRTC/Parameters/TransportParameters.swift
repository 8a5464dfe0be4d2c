/// The ICE user fragment and password of one side (RFC 8445 §5.3).
public struct ICECredentials: Sendable, Hashable, Codable {
  public var ufrag: String
  public var password: String

  public init(ufrag: String, password: String) {
    self.ufrag = ufrag
    self.password = password
  }

  /// Returns credentials of 8 and 24 characters from the system's generator: 48 and 144 bits, above the 24 and 128 of RFC 8445.
  public static func random() -> ICECredentials {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// Returns credentials of 8 and 24 characters from a generator, which must be cryptographically secure outside tests.
  public static func random(using generator: inout some RandomNumberGenerator) -> ICECredentials {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    func text(_ count: Int) -> String {
      String(decoding: (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }, as: UTF8.self)
    }
    return ICECredentials(ufrag: text(8), password: text(24))
  }
}

/// The hash of a certificate in the form of `a=fingerprint` (RFC 8122).
public struct Fingerprint: Sendable, Hashable, Codable {
  /// The algorithm in lowercase: "sha-256".
  public var algorithm: String
  public var bytes: [UInt8]

  public init(algorithm: String, bytes: [UInt8]) {
    self.algorithm = algorithm
    self.bytes = bytes
  }
}

/// The role in the DTLS handshake (`a=setup`, RFC 8842): active is the client.
public enum DTLSRole: Sendable, Hashable, Codable { case client, server }

/// The transport parameters of one side: the ICE and DTLS part of a session description.
public struct TransportParameters: Sendable, Hashable, Codable {
  public var credentials: ICECredentials
  public var fingerprints: [Fingerprint]
  /// The DTLS role of the described side; nil is `actpass`.
  public var role: DTLSRole?
  public var iceLite: Bool
  public var candidates: [ICECandidate]

  public init(
    credentials: ICECredentials, fingerprints: [Fingerprint], role: DTLSRole?, iceLite: Bool = false,
    candidates: [ICECandidate] = []
  ) {
    self.credentials = credentials
    self.fingerprints = fingerprints
    self.role = role
    self.iceLite = iceLite
    self.candidates = candidates
  }
}

/// A UDP candidate (RFC 8839 §5.1), or a passive TCP candidate (RFC 6544 §4.5); its address distinguishes them. The parser
/// ignores candidates with host names (mDNS) and other TCP candidates, to which no connection is possible.
public struct ICECandidate: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Hashable, Codable { case host, srflx, prflx, relay }

  public var foundation: String
  public var priority: UInt32
  public var address: TransportAddress
  public var kind: Kind

  public init(foundation: String, priority: UInt32, address: TransportAddress, kind: Kind) {
    self.foundation = foundation
    self.priority = priority
    self.address = address
    self.kind = kind
  }
}
