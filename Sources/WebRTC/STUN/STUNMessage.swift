import RoomDigests

/// A STUN message read in place (RFC 8489 §5, §14): one pass records the offsets of the ICE attributes.
///
/// The message stores the pointer that it was parsed from and must not outlive the datagram. A message with a wrong
/// FINGERPRINT, or whose attributes overrun it, is rejected. MESSAGE-INTEGRITY is checked separately, once the key is known.
struct STUNMessage {
  enum Kind: UInt16 { case request, indication, success, failure }
  enum Role: Equatable { case controlling(tieBreaker: UInt64), controlled(tieBreaker: UInt64) }

  let datagram: UnsafeRawBufferPointer
  let kind: Kind
  let method: UInt16
  let transaction: STUNTransactionID
  private(set) var username: Range<Int>?
  private(set) var errorCode: UInt16?
  private(set) var mappedAddress: TransportAddress?
  private(set) var priority: UInt32?
  private(set) var useCandidate = false
  private(set) var role: Role?
  /// The comprehension-required attributes that are not supported (RFC 8489 §6.3.1); the first few suffice for the reply.
  private(set) var unknownAttributes: [UInt16] = []
  private var integrity: Int?

  static let unknownAttributeLimit = 8

  /// Parses `datagram`. Returns nil unless it is exactly one well-formed STUN message.
  init?(parsing datagram: UnsafeRawBufferPointer) {
    guard datagram.count >= STUN.headerLength, datagram[0] & 0xC0 == 0,
      datagram.bigEndian32(at: 4) == STUN.magicCookie
    else { return nil }
    let length = Int(datagram.bigEndian16(at: 2))
    guard length % 4 == 0, STUN.headerLength + length == datagram.count else { return nil }
    let type = datagram.bigEndian16(at: 0)
    guard let kind = Kind(rawValue: (type >> 4 & 1) | (type >> 7 & 2)) else { return nil }
    self.datagram = datagram
    self.kind = kind
    method = (type & 0x000F) | (type >> 1 & 0x0070) | (type >> 2 & 0x0F80)
    transaction = STUNTransactionID(high: datagram.bigEndian32(at: 8), low: datagram.bigEndian64(at: 12))
    var offset = STUN.headerLength
    while offset < datagram.count {
      // Lengths are multiples of four, so a header always fits here.
      let attribute = datagram.bigEndian16(at: offset)
      let count = Int(datagram.bigEndian16(at: offset + 2))
      let value = offset + 4
      guard value + count <= datagram.count else { return nil }
      guard read(attribute, value: value..<value + count) else { return nil }
      offset = value + (count + 3) & ~3
    }
  }

  var isSigned: Bool { integrity != nil }

  /// Returns whether MESSAGE-INTEGRITY (HMAC-SHA1, RFC 8489 §14.5) was computed with this key.
  func isSigned(with key: some Sequence<UInt8>) -> Bool {
    guard let integrity else { return false }
    var signed = Array(datagram[..<(integrity - 4)])
    STUNWriter.setLength(integrity - 4 + 24 - STUN.headerLength, of: &signed)
    return Digest.isEqual(Digest.sha1.hmac(of: signed, key: Array(key)), Array(datagram[integrity..<integrity + 20]))
  }

  private mutating func read(_ attribute: UInt16, value: Range<Int>) -> Bool {
    if attribute == STUNAttribute.fingerprint {
      // FINGERPRINT must be the last attribute (RFC 8489 §14.7).
      guard value.count == 4, value.upperBound == datagram.count else { return false }
      let expected = STUNFingerprint.crc32(datagram[..<(value.lowerBound - 4)]) ^ STUN.fingerprintMask
      return datagram.bigEndian32(at: value.lowerBound) == expected
    }
    // Attributes after MESSAGE-INTEGRITY are not covered by it and are ignored (RFC 8489 §14.5).
    guard integrity == nil else { return true }
    switch attribute {
    case STUNAttribute.username:
      guard value.count <= 513 else { return false }
      username = username ?? value
    case STUNAttribute.messageIntegrity:
      guard value.count == 20 else { return false }
      integrity = value.lowerBound
    case STUNAttribute.errorCode:
      guard value.count >= 4 else { return false }
      errorCode = UInt16(datagram[value.lowerBound + 2] & 7) * 100 + UInt16(datagram[value.lowerBound + 3])
    case STUNAttribute.xorMappedAddress:
      guard let address = xorAddress(value) else { return false }
      mappedAddress = address
    case STUNAttribute.priority:
      guard value.count == 4 else { return false }
      priority = datagram.bigEndian32(at: value.lowerBound)
    case STUNAttribute.useCandidate: useCandidate = true
    case STUNAttribute.iceControlled:
      guard value.count == 8 else { return false }
      role = .controlled(tieBreaker: datagram.bigEndian64(at: value.lowerBound))
    case STUNAttribute.iceControlling:
      guard value.count == 8 else { return false }
      role = .controlling(tieBreaker: datagram.bigEndian64(at: value.lowerBound))
    case STUNAttribute.unknownAttributes: break
    default:
      if STUNAttribute.isRequired(attribute), unknownAttributes.count < Self.unknownAttributeLimit {
        unknownAttributes.append(attribute)
      }
    }
    return true
  }

  private func xorAddress(_ value: Range<Int>) -> TransportAddress? {
    let start = value.lowerBound
    guard value.count >= 8 else { return nil }
    let port = datagram.bigEndian16(at: start + 2) ^ UInt16(STUN.magicCookie >> 16)
    switch (datagram[start + 1], value.count) {
    case (1, 8): return TransportAddress(ipv4: datagram.bigEndian32(at: start + 4) ^ STUN.magicCookie, port: port)
    case (2, 20):
      return TransportAddress(
        high: datagram.bigEndian64(at: start + 4) ^ (UInt64(STUN.magicCookie) << 32 | UInt64(transaction.high)),
        low: datagram.bigEndian64(at: start + 12) ^ transaction.low, port: port)
    default: return nil
    }
  }
}
