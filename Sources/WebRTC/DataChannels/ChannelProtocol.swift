/// The messages that open channels (DCEP, RFC 8832 §5), and the identifiers of payloads (RFC 8831 §8).
enum ChannelProtocol {
  enum PayloadID {
    static let control: UInt32 = 50
    static let text: UInt32 = 51
    static let binary: UInt32 = 53
    static let emptyText: UInt32 = 56
    static let emptyBinary: UInt32 = 57
  }

  enum Message: Hashable {
    case open(DataChannel)
    case acknowledge
  }

  private static let openType: UInt8 = 3
  private static let acknowledgeType: UInt8 = 2

  /// Parses a message; nil if it is malformed, or of an unknown type or kind of reliability.
  static func parse(_ bytes: [UInt8]) -> Message? {
    bytes.withUnsafeBytes { bytes in
      switch bytes.first {
      case acknowledgeType: return .acknowledge
      case openType: return open(bytes).map { .open($0) }
      default: return nil
      }
    }
  }

  private static func open(_ bytes: UnsafeRawBufferPointer) -> DataChannel? {
    guard bytes.count >= 12 else { return nil }
    let label = Int(bytes.bigEndian16(at: 8))
    let subprotocol = Int(bytes.bigEndian16(at: 10))
    guard bytes.count >= 12 + label + subprotocol else { return nil }
    let parameter = bytes.bigEndian32(at: 4)
    let reliability: DataChannel.Reliability
    switch bytes[1] & 0x7F {
    case 0: reliability = .reliable
    case 1: reliability = .retransmissions(parameter)
    case 2: reliability = .lifetime(milliseconds: parameter)
    default: return nil
    }
    return DataChannel(
      label: String(decoding: bytes[12..<(12 + label)], as: UTF8.self),
      subprotocol: String(decoding: bytes[(12 + label)..<(12 + label + subprotocol)], as: UTF8.self),
      isOrdered: bytes[1] & 0x80 == 0, reliability: reliability)
  }

  static func bytes(of message: Message) -> [UInt8] {
    guard case .open(let channel) = message else { return [acknowledgeType] }
    let (type, parameter): (UInt8, UInt32) =
      switch channel.reliability {
      case .reliable: (0, 0)
      case .retransmissions(let count): (1, count)
      case .lifetime(let milliseconds): (2, milliseconds)
      }
    var bytes: [UInt8] = [openType, type | (channel.isOrdered ? 0 : 0x80)]
    func put<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    // The priority "normal" of RFC 8831 §6.4.
    put(UInt16(256))
    put(parameter)
    put(UInt16(truncatingIfNeeded: channel.label.utf8.count))
    put(UInt16(truncatingIfNeeded: channel.subprotocol.utf8.count))
    return bytes + Array(channel.label.utf8) + Array(channel.subprotocol.utf8)
  }
}
