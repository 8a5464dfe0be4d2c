import RoomDigests
import RoomRTP

/// What an INIT-ACK needs to know again when its cookie returns, signed, so that nothing is stored before that (RFC 9260 §5.1.3).
struct StateCookie: Hashable, Sendable {
  /// Microseconds for which a cookie is valid: Valid.Cookie.Life of RFC 9260 §16.
  static let lifetime: Int64 = 60_000_000

  /// What this side offered in its INIT-ACK.
  var localTag: UInt32
  var localTSN: TSN
  /// What the other side offered in its INIT.
  var remote: Initiation
  /// The tags of an association that existed already, otherwise 0 (§5.2.2).
  var tieTags: (local: UInt32, remote: UInt32) = (0, 0)
  var created: Instant

  private static let length = 48
  private static let signatureLength = 32

  static func == (a: Self, b: Self) -> Bool { a.body == b.body }
  func hash(into hasher: inout Hasher) { hasher.combine(body) }

  func signed(with secret: [UInt8]) -> [UInt8] { body + Digest.sha256.hmac(of: body, key: secret) }

  private var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.length + Self.signatureLength)
    func put<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    put(localTag)
    put(localTSN.rawValue)
    put(remote.tag)
    put(remote.window)
    put(remote.outgoingStreams)
    put(remote.incomingStreams)
    put(remote.firstTSN.rawValue)
    put(tieTags.local)
    put(tieTags.remote)
    put(created.microseconds)
    put(UInt32(remote.supportsForwardTSN ? 1 : 0) | UInt32(remote.supportsReset ? 2 : 0))
    put(UInt32(0))
    return bytes
  }

  init(localTag: UInt32, localTSN: TSN, remote: Initiation, created: Instant) {
    self.localTag = localTag
    self.localTSN = localTSN
    self.remote = remote
    self.created = created
  }

  /// Returns nil if this side did not sign the cookie.
  init?(_ bytes: UnsafeRawBufferPointer, secret: [UInt8]) {
    guard bytes.count == Self.length + Self.signatureLength,
      Digest.isEqual(Digest.sha256.hmac(of: bytes.prefix(Self.length), key: secret), Array(bytes.suffix(Self.signatureLength)))
    else { return nil }
    let flags = bytes.bigEndian32(at: 40)
    self.init(
      localTag: bytes.bigEndian32(at: 0), localTSN: TSN(bytes.bigEndian32(at: 4)),
      remote: Initiation(
        tag: bytes.bigEndian32(at: 8), window: bytes.bigEndian32(at: 12), outgoingStreams: bytes.bigEndian16(at: 16),
        incomingStreams: bytes.bigEndian16(at: 18), firstTSN: TSN(bytes.bigEndian32(at: 20)),
        supportsForwardTSN: flags & 1 != 0, supportsReset: flags & 2 != 0),
      created: Instant(microseconds: Int64(bitPattern: bytes.bigEndian64(at: 32))))
    tieTags = (bytes.bigEndian32(at: 24), bytes.bigEndian32(at: 28))
  }
}
