import RoomWebRTC
import Synchronization

/// Counts the open connections of each address, and limits them.
///
/// Without a limit, a client with one address could use up all connections of the server. Trusted proxies have no limit: the
/// clients behind a proxy share its address.
package final class ConnectionsPerAddress: Sendable {
  /// 0 means unlimited.
  private let limit: Int
  private let exempt: TrustedProxies
  private let counts = Mutex<[TransportAddress: Int]>([:])

  package init(limit: Int, exempt: TrustedProxies) {
    self.limit = limit
    self.exempt = exempt
  }

  /// Counts one connection, until it is released.
  package final class Reservation: Sendable {
    private let owner: ConnectionsPerAddress
    private let address: TransportAddress

    fileprivate init(_ owner: ConnectionsPerAddress, _ address: TransportAddress) {
      self.owner = owner
      self.address = address
    }

    deinit { owner.leave(address) }
  }

  /// Whether a connection from an address is admitted, and the object that counts it; nil for connections without a limit.
  package enum Admission: Sendable {
    case admitted(Reservation?)
    case refused
  }

  /// Returns whether this address has reached its limit of connections.
  package func isFull(_ address: TransportAddress) -> Bool {
    guard isLimited(address) else { return false }
    return counts.withLock { $0[address.subscriber, default: 0] } >= limit
  }

  /// Admits and counts a connection from this address.
  package func enter(_ address: TransportAddress?) -> Admission {
    guard let address, isLimited(address) else { return .admitted(nil) }
    let isFree = counts.withLock { counts in
      guard counts[address.subscriber, default: 0] < limit else { return false }
      counts[address.subscriber, default: 0] += 1
      return true
    }
    return isFree ? .admitted(Reservation(self, address.subscriber)) : .refused
  }

  /// Counts an existing connection, even beyond the limit.
  package func add(_ address: TransportAddress?) -> Reservation? {
    guard let address, isLimited(address) else { return nil }
    counts.withLock { $0[address.subscriber, default: 0] += 1 }
    return Reservation(self, address.subscriber)
  }

  private func isLimited(_ address: TransportAddress) -> Bool { limit > 0 && !exempt.contains(address) }

  private func leave(_ address: TransportAddress) {
    counts.withLock { counts in
      let rest = counts[address, default: 0] - 1
      counts[address] = rest > 0 ? rest : nil
    }
  }
}

extension TransportAddress {
  /// The address range of one subscriber of a provider: an IPv4 address, or the network of an IPv6 address, its first 64 bits.
  package var subscriber: TransportAddress { TransportAddress(high: high, low: isIPv4 ? low : 0, port: 0) }
}
