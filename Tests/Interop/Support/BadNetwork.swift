import RoomLinkModel
import RoomLossyLink
import Synchronization
import RoomWebRTC

/// A lossy link in front of every media port of a server, which clients use through `RoomOptions.mediaAddressOverride`.
final class BadNetwork: Sendable {
  private let seed: UInt64
  private let toServer: Mutex<LinkConditions>
  private let toClients: Mutex<LinkConditions>
  /// Links by the server's port.
  private let links = Mutex<[UInt16: LossyLink]>([:])

  /// - Parameter conditions: the conditions of both directions.
  convenience init(_ conditions: LinkConditions, seed: UInt64) {
    self.init(toServer: conditions, toClients: conditions, seed: seed)
  }

  init(toServer: LinkConditions, toClients: LinkConditions, seed: UInt64) {
    self.seed = seed
    self.toServer = Mutex(toServer)
    self.toClients = Mutex(toClients)
  }

  /// Limits the rate towards the server, in bits per second, with a queue of 300 ms.
  func limitToServer(_ rate: Int64) {
    let limited = toServer.withLock { conditions in
      conditions.limit(rate: rate, queueing: 300)
      return conditions
    }
    links.withLock { links in for link in links.values { link.set(.toTarget, to: limited) } }
  }

  /// Loses this share of the packets in both directions from now on.
  func lose(_ share: Double) {
    let up = toServer.withLock { conditions in
      conditions.loss = share
      return conditions
    }
    let down = toClients.withLock { conditions in
      conditions.loss = share
      return conditions
    }
    links.withLock { links in
      for link in links.values {
        link.set(.toTarget, to: up)
        link.set(.toClient, to: down)
      }
    }
  }

  /// Limits the rate towards the clients in the same manner.
  func limitToClients(_ rate: Int64) {
    let limited = toClients.withLock { conditions in
      conditions.limit(rate: rate, queueing: 300)
      return conditions
    }
    links.withLock { links in for link in links.values { link.set(.toClient, to: limited) } }
  }

  /// Returns the address to use instead of `address`; the address itself if the system has no socket left.
  func detour(for address: TransportAddress) -> TransportAddress {
    let port = links.withLock { links in
      if let link = links[address.port] { return link.port }
      let link = try? LossyLink(
        to: address.port, toTarget: toServer.withLock { $0 }, toClient: toClients.withLock { $0 },
        seed: seed &+ UInt64(links.count))
      links[address.port] = link
      return link?.port ?? address.port
    }
    return TransportAddress(ipv4: 0x7F00_0001, port: port)
  }

  /// Packets lost at random, over all links.
  var lost: (toServer: Int, toClients: Int) {
    links.withLock { links in
      links.values.reduce(into: (0, 0)) { sum, link in
        sum.0 += link.counters(.toTarget).lost
        sum.1 += link.counters(.toClient).lost
      }
    }
  }
}
