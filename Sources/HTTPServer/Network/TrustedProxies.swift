import RoomWebRTC

/// The proxies in front of a server: peers that are trusted to report their clients' addresses.
///
/// Each proxy appends the address of its own peer to `X-Forwarded-For`. The list is therefore read from its end while it names
/// trusted proxies: the first other address is the client's. Everything further left is claimed by the client itself.
public struct TrustedProxies: Sendable, Hashable {
  /// The number of bytes of the header that are read, from its end.
  static let mostBytes = 2048
  /// The number of entries that are read, from the last.
  static let mostEntries = 32

  private var networks: [AddressPrefix] = []

  /// Trusts no proxy.
  public init() {}

  /// Parses addresses and networks: "127.0.0.1", "10.0.0.0/8", "fd00::/8". Throws the first invalid one.
  public init(parsing texts: [String]) throws(TrustedProxyError) {
    for text in texts {
      guard let network = AddressPrefix(text) else { throw .unreadable(text) }
      networks.append(network)
    }
  }

  /// Returns whether the address is a trusted proxy's.
  func contains(_ address: TransportAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Returns the client of a request. If an entry is invalid, or the header is too long, this is the last address that was
  /// read.
  /// - Parameters:
  ///   - peer: the remote end of the connection.
  ///   - lines: the values of all `X-Forwarded-For` headers, in order.
  /// - Returns: the address, without a port unless it is the peer's, and whether part of the header was not read.
  func client(of peer: TransportAddress, forwardedFor lines: [String]) -> (client: TransportAddress, isCut: Bool) {
    guard !lines.isEmpty, contains(peer) else { return (peer, false) }
    let header = lines.joined(separator: ",").utf8
    var entries = header.suffix(Self.mostBytes).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)[...]
    // If bytes are left out, the first entry may be incomplete.
    let isLong = header.count > Self.mostBytes
    if isLong { entries = entries.dropFirst() }
    var client = peer
    for entry in entries.suffix(Self.mostEntries).reversed() {
      guard let address = Self.address(String(decoding: entry, as: UTF8.self).trimming()) else { return (client, false) }
      client = address
      guard contains(address) else { return (client, false) }
    }
    return (client, isLong || entries.count > Self.mostEntries)
  }

  /// Parses an address, or one with a port, as some proxies write it: "192.0.2.1:4711", "[2001:db8::1]", "[2001:db8::1]:4711".
  private static func address(_ entry: Substring) -> TransportAddress? {
    guard entry.utf8.count <= 64 else { return nil }
    var host = entry
    var port: Substring?
    if entry.first == "[" {
      guard let end = entry.firstIndex(of: "]") else { return nil }
      host = entry[..<end].dropFirst()
      let rest = entry[end...].dropFirst()
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
      if !rest.isEmpty { port = rest.dropFirst() }
    } else if let colon = entry.firstIndex(of: ":"), colon == entry.lastIndex(of: ":") {
      host = entry[..<colon]
      port = entry[colon...].dropFirst()
    }
    if let port { guard UInt16(port) != nil else { return nil } }
    return TransportAddress(host: String(host), port: 0)
  }
}

/// A proxy address that is invalid.
public enum TrustedProxyError: Error, Sendable, Hashable, CustomStringConvertible {
  case unreadable(String)

  public var description: String {
    switch self {
    case .unreadable(let text): "\(text.prefix(64)) is neither a numeric address nor a network such as 10.0.0.0/8"
    }
  }
}
