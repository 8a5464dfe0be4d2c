import RoomLinkModel
import RoomLossyLink
import RoomProtocol
import Synchronization
import RoomWebRTC

/// A lossy link between all bots and each media port of a server on this machine.
///
/// It affects only UDP, not RTMP, HTTP-FLV and HLS.
final class LossyNetwork: Sendable {
  private let conditions: LinkConditions
  private let seed: UInt64
  /// Links by the server's port.
  private let links = Mutex<[UInt16: LossyLink]>([:])

  /// Returns nil if no loss, delay or rate is configured.
  init?(_ values: ParameterValues) {
    guard values[.loss] > 0 || values[.delay] > 0 || values[.jitter] > 0 || values[.rate] > 0 else { return nil }
    var conditions = LinkConditions(
      loss: values[.loss] / 100, burst: values[.burst], delay: Int64(values[.delay] * 1000),
      jitter: Int64(values[.jitter] * 1000))
    if values[.rate] > 0 { conditions.limit(rate: Int64(values[.rate]) * 1000, queueing: Int64(values[.queue])) }
    self.conditions = conditions
    seed = UInt64(values[.seed])
  }

  /// Returns the address to use instead of `address`; the address itself if it is TCP, not on this machine, or no socket is
  /// left.
  func detour(for address: TransportAddress) -> TransportAddress {
    guard !address.isTCP, address.isIPv4, address.ipv4 >> 24 == 127 else { return address }
    let port = links.withLock { links -> UInt16? in
      if let link = links[address.port] { return link.port }
      let link = try? LossyLink(
        to: address.port, toTarget: conditions, toClient: conditions, seed: seed &+ UInt64(links.count))
      links[address.port] = link
      return link?.port
    }
    return port.map { TransportAddress(ipv4: 0x7F00_0001, port: $0) } ?? address
  }

  /// Returns a server's description with its addresses replaced by detours.
  func detour(for remote: TransportParameters) -> TransportParameters {
    var remote = remote
    for index in remote.candidates.indices { remote.candidates[index].address = detour(for: remote.candidates[index].address) }
    return remote
  }

  func stop() {
    let links = links.withLock { links in
      defer { links = [:] }
      return Array(links.values)
    }
    for link in links { link.stop() }
  }
}
