import RoomDigests

/// Writes one STUN message (RFC 8489 §5, §14): attributes in call order, then `sign`, then `addFingerprint`.
struct STUNWriter {
  private(set) var bytes: [UInt8] = []
  private let transaction: STUNTransactionID

  init(_ kind: STUNMessage.Kind, method: UInt16 = STUN.binding, transaction: STUNTransactionID) {
    self.transaction = transaction
    bytes.reserveCapacity(128)
    let methodBits = (method & 0x000F) | (method & 0x0070) << 1 | (method & 0x0F80) << 2
    append(methodBits | (kind.rawValue & 1) << 4 | (kind.rawValue & 2) << 7)
    append(UInt16(0))
    append(STUN.magicCookie)
    append(transaction.high)
    append(transaction.low)
  }

  mutating func add(_ attribute: UInt16, _ value: some Collection<UInt8>) {
    append(attribute)
    append(UInt16(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: value)
    while bytes.count % 4 != 0 { bytes.append(0) }
    Self.setLength(bytes.count - STUN.headerLength, of: &bytes)
  }

  mutating func add(_ attribute: UInt16, _ value: UInt32) {
    withUnsafeBytes(of: value.bigEndian) { add(attribute, $0) }
  }

  mutating func add(_ attribute: UInt16, _ value: UInt64) {
    withUnsafeBytes(of: value.bigEndian) { add(attribute, $0) }
  }

  /// Adds XOR-MAPPED-ADDRESS (RFC 8489 §14.2).
  mutating func addMappedAddress(_ address: TransportAddress) {
    var value: [UInt8] = [0, address.isIPv4 ? 1 : 2]
    func put<T: FixedWidthInteger>(_ number: T) { withUnsafeBytes(of: number.bigEndian) { value.append(contentsOf: $0) } }
    put(address.port ^ UInt16(STUN.magicCookie >> 16))
    if address.isIPv4 {
      put(address.ipv4 ^ STUN.magicCookie)
    } else {
      put(address.high ^ (UInt64(STUN.magicCookie) << 32 | UInt64(transaction.high)))
      put(address.low ^ transaction.low)
    }
    add(STUNAttribute.xorMappedAddress, value)
  }

  mutating func addError(_ code: STUNErrorCode, withReason: Bool) {
    let value = [0, 0, UInt8(code.rawValue / 100), UInt8(code.rawValue % 100)]
    add(STUNAttribute.errorCode, withReason ? value + Array(code.reason.utf8) : value)
  }

  /// Adds MESSAGE-INTEGRITY (HMAC-SHA1) over the bytes written so far.
  mutating func sign(with key: some Sequence<UInt8>) {
    var signed = bytes
    Self.setLength(bytes.count + 24 - STUN.headerLength, of: &signed)
    add(STUNAttribute.messageIntegrity, Digest.sha1.hmac(of: signed, key: Array(key)))
  }

  mutating func addFingerprint() {
    var covered = bytes
    Self.setLength(bytes.count + 8 - STUN.headerLength, of: &covered)
    add(STUNAttribute.fingerprint, STUNFingerprint.crc32(covered) ^ STUN.fingerprintMask)
  }

  /// Sets the length field of the header: the number of bytes after the header.
  static func setLength(_ length: Int, of message: inout [UInt8]) {
    message[2] = UInt8(truncatingIfNeeded: length >> 8)
    message[3] = UInt8(truncatingIfNeeded: length)
  }

  private mutating func append<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
