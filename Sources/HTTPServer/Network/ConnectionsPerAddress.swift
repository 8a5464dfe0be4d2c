import NIOConcurrencyHelpers
import WebRTC

/// The connections that are open, by the address that they come from, and how many one address may have.
///
/// Without a limit, whoever has one address takes all places of the server. Trusted proxies have none: the clients behind a proxy
/// share its address.
package final class ConnectionsPerAddress: Sendable {
  /// 0 for none.
  private let limit: Int
  private let exempt: TrustedProxies
  private let counts = NIOLockedValueBox<[TransportAddress: Int]>([:])

  package init(limit: Int, exempt: TrustedProxies) {
    self.limit = limit
    self.exempt = exempt
  }

  /// The place of one connection, until it is let go.
  package final class Place: Sendable {
    private let owner: ConnectionsPerAddress
    private let address: TransportAddress

    fileprivate init(_ owner: ConnectionsPerAddress, _ address: TransportAddress) {
      self.owner = owner
      self.address = address
    }

    deinit { owner.leave(address) }
  }

  /// Whether a connection may come from an address, and the place that it then has; connections that are not limited have none.
  package enum Admission: Sendable {
    case admitted(Place?)
    case refused
  }

  /// Whether this address has as many connections as it may.
  package func isFull(_ address: TransportAddress) -> Bool {
    guard isLimited(address) else { return false }
    return counts.withLockedValue { $0[address.subscriber, default: 0] } >= limit
  }

  /// A place for a connection from this address.
  package func enter(_ address: TransportAddress?) -> Admission {
    guard let address, isLimited(address) else { return .admitted(nil) }
    let isFree = counts.withLockedValue { counts in
      guard counts[address.subscriber, default: 0] < limit else { return false }
      counts[address.subscriber, default: 0] += 1
      return true
    }
    return isFree ? .admitted(Place(self, address.subscriber)) : .refused
  }

  /// A place for a connection that is there already, beyond the limit if it has to be.
  package func add(_ address: TransportAddress?) -> Place? {
    guard let address, isLimited(address) else { return nil }
    counts.withLockedValue { $0[address.subscriber, default: 0] += 1 }
    return Place(self, address.subscriber)
  }

  private func isLimited(_ address: TransportAddress) -> Bool { limit > 0 && !exempt.contains(address) }

  private func leave(_ address: TransportAddress) {
    counts.withLockedValue { counts in
      let rest = counts[address, default: 0] - 1
      counts[address] = rest > 0 ? rest : nil
    }
  }
}

extension TransportAddress {
  /// What one subscriber of a provider has: an IPv4 address, or the network of an IPv6 address, its first 64 bits.
  package var subscriber: TransportAddress { TransportAddress(high: high, low: isIPv4 ? low : 0, port: 0) }
}
