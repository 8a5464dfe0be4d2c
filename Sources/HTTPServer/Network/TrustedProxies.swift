import WebRTC

/// The proxies in front of a server: peers whose word about their clients' addresses counts.
///
/// Each proxy adds the address of its own peer to the end of `X-Forwarded-For`. So the list is read from there, as far as it names proxies
/// that are trusted: the first other one is the client, and what stands further left is what the client said of itself.
public struct TrustedProxies: Sendable, Hashable {
  /// Bytes of the header that are read, from its end.
  static let mostBytes = 2048
  /// Entries that are read, from the last.
  static let mostEntries = 32

  private var networks: [AddressPrefix] = []

  /// Nobody is trusted.
  public init() {}

  /// Reads addresses and networks: "127.0.0.1", "10.0.0.0/8", "fd00::/8". Gives the first that can't be read as an error.
  public init(parsing texts: [String]) throws(TrustedProxyError) {
    for text in texts {
      guard let network = AddressPrefix(text) else { throw .unreadable(text) }
      networks.append(network)
    }
  }

  /// Whether this is one of them.
  func contains(_ address: TransportAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Whom a request is from. Where an entry can't be read, or the header goes on too long, the last that was read counts.
  /// - Parameters:
  ///   - peer: the far end of the connection.
  ///   - lines: the values of all `X-Forwarded-For` headers, in order.
  /// - Returns: the address, without a port where it is not the peer's, and whether more of the header was there than is read.
  func client(of peer: TransportAddress, forwardedFor lines: [String]) -> (client: TransportAddress, isCut: Bool) {
    guard !lines.isEmpty, contains(peer) else { return (peer, false) }
    let header = lines.joined(separator: ",").utf8
    var entries = header.suffix(Self.mostBytes).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)[...]
    // Where bytes are left out the first entry may be half of one.
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

  /// An address, or one with a port, as some proxies write it: "192.0.2.1:4711", "[2001:db8::1]", "[2001:db8::1]:4711".
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

/// A proxy that can't be read.
public enum TrustedProxyError: Error, Sendable, Hashable, CustomStringConvertible {
  case unreadable(String)

  public var description: String {
    switch self {
    case .unreadable(let text): "\(text.prefix(64)) is neither a numeric address nor a network such as 10.0.0.0/8"
    }
  }
}
