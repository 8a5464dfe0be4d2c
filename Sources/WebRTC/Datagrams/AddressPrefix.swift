/// The addresses of one family with a common prefix: a network such as "10.0.0.0/8" (RFC 4632 §3.1) or "2001:db8::/32" (RFC
/// 4291 §2.3), or a single address, "192.0.2.1".
public struct AddressPrefix: Hashable, Sendable {
  private let address: TransportAddress
  /// The prefix length of the 128 bits of `TransportAddress`; all IPv4 addresses start with the same 96 bits.
  private let bits: Int

  /// Parses a prefix. Returns nil if the text is not a numeric address, optionally with a valid prefix length.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, let address = TransportAddress(host: String(host), port: 0) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    var length = width
    if parts.count > 1 {
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1]), bits <= width else {
        return nil
      }
      length = bits
    }
    self.address = address
    bits = 128 - width + length
  }

  /// Returns whether the address is in the prefix, whatever its port.
  public func contains(_ other: TransportAddress) -> Bool {
    func same(_ one: UInt64, _ two: UInt64, _ count: Int) -> Bool {
      count <= 0 || (one ^ two) >> UInt64(64 - min(count, 64)) == 0
    }
    return address.isIPv4 == other.isIPv4 && same(address.high, other.high, bits) && same(address.low, other.low, bits - 64)
  }
}
