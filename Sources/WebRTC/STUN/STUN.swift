/// The constants of STUN (RFC 8489) and the parsing that a shared port needs to route a datagram.
public enum STUN {
  static let magicCookie: UInt32 = 0x2112_A442
  static let headerLength = 20
  /// The value that is XORed onto the CRC-32 of FINGERPRINT (RFC 8489 §14.7): "STUN".
  static let fingerprintMask: UInt32 = 0x5354_554E
  /// The only method that ICE uses (RFC 8489 §18.2).
  static let binding: UInt16 = 0x001

  /// Returns the value of USERNAME in a well-formed STUN request; nil if absent. Points into `datagram`; authenticates nothing.
  public static func username(of datagram: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let message = STUNMessage(parsing: datagram), message.kind == .request, let range = message.username else {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: datagram[range])
  }

  /// Returns the local ICE user fragment of a connectivity check: the part of USERNAME before the colon (RFC 8445 §7.2.2). A
  /// server uses it to find the transport of the first packet of a new 5-tuple.
  public static func localFragment(of datagram: UnsafeRawBufferPointer) -> String? {
    guard let username = username(of: datagram), let colon = username.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return String(decoding: username[..<colon], as: UTF8.self)
  }
}

/// The 96-bit transaction id (RFC 8489 §5).
struct STUNTransactionID: Hashable, Sendable {
  var high: UInt32
  var low: UInt64

  static func random() -> STUNTransactionID {
    STUNTransactionID(high: .random(in: 0...UInt32.max), low: .random(in: 0...UInt64.max))
  }
}

/// The supported attributes (RFC 8489 §14, RFC 8445 §16.1).
enum STUNAttribute {
  static let username: UInt16 = 0x0006
  static let messageIntegrity: UInt16 = 0x0008
  static let errorCode: UInt16 = 0x0009
  static let unknownAttributes: UInt16 = 0x000A
  static let xorMappedAddress: UInt16 = 0x0020
  static let priority: UInt16 = 0x0024
  static let useCandidate: UInt16 = 0x0025
  static let fingerprint: UInt16 = 0x8028
  static let iceControlled: UInt16 = 0x8029
  static let iceControlling: UInt16 = 0x802A

  /// Returns whether the attribute is comprehension-required, that is, below 0x8000 (RFC 8489 §14).
  static func isRequired(_ type: UInt16) -> Bool { type < 0x8000 }
}

/// The supported error codes (RFC 8489 §14.8, RFC 8445 §7.3.1.1).
enum STUNErrorCode: UInt16, Sendable {
  case badRequest = 400
  case unauthenticated = 401
  case unknownAttribute = 420
  case roleConflict = 487

  var reason: String {
    switch self {
    case .badRequest: "Bad Request"
    case .unauthenticated: "Unauthenticated"
    case .unknownAttribute: "Unknown Attribute"
    case .roleConflict: "Role Conflict"
    }
  }
}
