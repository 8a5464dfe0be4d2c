import NIOCore
import RoomRTMP
public import RoomWebRTC

/// The allowed targets of pushes. A client that creates a job names a host that this server connects to. Without limits this
/// gives access to the server's own network.
public struct RelayTargets: Sendable, Hashable {
  /// A rule that allows targets.
  public enum Rule: Sendable, Hashable {
    /// Any host with an address on the public internet.
    case publicHosts
    /// This host only, at any address.
    case host(String)
    /// Every host whose name ends with this suffix, which includes the leading dot.
    case suffix(String)
    /// Any host whose address has this prefix.
    case network(AddressPrefix)
  }

  /// The rules. A target is allowed if at least one rule matches.
  public var rules: [Rule]

  /// - Parameter rules: The rules; public hosts by default.
  public init(_ rules: [Rule] = [.publicHosts]) { self.rules = rules }

  /// Parses rules as written in a configuration: `public`, `*.example.com`, `10.0.0.0/8`, `cdn.example.com`, `127.0.0.1`.
  /// - Throws: ``RelayTargetError`` with the first invalid rule.
  public init(parsing texts: [String]) throws(RelayTargetError) {
    rules = []
    for text in texts {
      if text == "public" {
        rules.append(.publicHosts)
      } else if text.hasPrefix("*.") {
        rules.append(.suffix(String(text.dropFirst()).lowercased()))
      } else if text.contains("/") {
        guard let network = AddressPrefix(text) else { throw .unreadable(text) }
        rules.append(.network(network))
      } else {
        guard !text.isEmpty, !text.contains(" ") else { throw .unreadable(text) }
        rules.append(.host(text.lowercased()))
      }
    }
  }

  /// Returns whether connecting to a host of this name at this address is allowed.
  func allow(host: String, at socket: SocketAddress) -> Bool {
    guard let address = socket.ipAddress, let port = socket.port else { return false }
    return TransportAddress(host: address, port: UInt16(truncatingIfNeeded: port)).map { allow(host: host, at: $0) } ?? false
  }

  /// Returns whether connecting to a host of this name at this address is allowed.
  public func allow(host: String, at address: TransportAddress) -> Bool {
    let name = host.lowercased()
    return rules.contains { rule in
      switch rule {
      case .publicHosts: address.isPublic
      case .host(let allowed): name == allowed
      case .suffix(let suffix): name.hasSuffix(suffix)
      case .network(let network): network.contains(address)
      }
    }
  }
}

/// An invalid rule.
public enum RelayTargetError: Error, Sendable, Hashable, CustomStringConvertible {
  case unreadable(String)

  public var description: String {
    switch self {
    case .unreadable(let text): "\(text) is invalid: expected public, a host, *.suffix or a network such as 10.0.0.0/8"
    }
  }
}

extension TransportAddress {
  /// Whether the address is on the public internet (IANA's special-purpose address registries, RFC 6890).
  var isPublic: Bool {
    if isIPv4 { return Self.isPublic(ipv4) }
    // NAT64 and 6to4 addresses embed an IPv4 address.
    if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return Self.isPublic(UInt32(truncatingIfNeeded: low)) }
    if high >> 48 == 0x2002 { return Self.isPublic(UInt32(truncatingIfNeeded: high >> 16)) }
    // 2000::/3 except documentation and Teredo addresses.
    return high >> 61 == 1 && high >> 32 != 0x2001_0db8 && high >> 32 != 0x2001_0000
  }

  private static func isPublic(_ ipv4: UInt32) -> Bool {
    let special: [(UInt32, Int)] = [
      (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
      (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
      (0xCB00_7100, 24), (0xE000_0000, 3),
    ]
    return !special.contains { network, bits in (ipv4 ^ network) >> UInt32(32 - bits) == 0 }
  }
}
