/// The ICE user fragment and password of one side (RFC 8445 §5.3).
public struct ICECredentials: Sendable, Hashable {
  public var ufrag: String
  public var password: String

  public init(ufrag: String, password: String) {
    self.ufrag = ufrag
    self.password = password
  }

  /// 8 and 24 characters from the system's generator: 48 and 144 bits, over RFC 8445's 24 and 128.
  public static func random() -> ICECredentials {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// 8 and 24 characters from a generator, which has to be cryptographically secure outside tests.
  public static func random(using generator: inout some RandomNumberGenerator) -> ICECredentials {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    func text(_ count: Int) -> String {
      String(decoding: (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }, as: UTF8.self)
    }
    return ICECredentials(ufrag: text(8), password: text(24))
  }
}

/// The hash of a certificate as `a=fingerprint` gives it (RFC 8122).
public struct Fingerprint: Sendable, Hashable {
  /// Lower case: "sha-256".
  public var algorithm: String
  public var bytes: [UInt8]

  public init(algorithm: String, bytes: [UInt8]) {
    self.algorithm = algorithm
    self.bytes = bytes
  }
}

/// Which end of the DTLS handshake one is (`a=setup`, RFC 8842): active is the client.
public enum DTLSRole: Sendable, Hashable { case client, server }

/// What one side says of its transport: the ICE and DTLS part of a session description.
public struct TransportParameters: Sendable, Hashable {
  public var credentials: ICECredentials
  public var fingerprints: [Fingerprint]
  /// The role of the side that these describe; nil is `actpass`.
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

/// A candidate of UDP (RFC 8839 §5.1), or a passive one of TCP (RFC 6544 §4.5), told by its address. Candidates of names (mDNS) and
/// other TCP candidates, which nobody can connect to, are left out by the parser.
public struct ICECandidate: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable { case host, srflx, prflx, relay }

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
