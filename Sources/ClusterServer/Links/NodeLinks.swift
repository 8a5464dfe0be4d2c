import Foundation
import Logging
import NIOCore
import RoomCluster
import RoomHTTPServer
import RoomLinux
import RoomNodeLink
import RoomSFU
import RoomServer
import RoomWebRTC

/// The links of this node to others: one UDP port, and a link to each node with which rooms exchange tracks.
final class NodeLinks: Sendable {
  private struct Open {
    var address: String
    var link: OpenLink
  }

  private let port: LinkPort
  /// The address at which the other nodes reach the port.
  let address: String
  private let cluster: Cluster
  private let links = Guarded<[LinkEnd: Open]>([:])
  /// Random at first, so that an earlier process of this node had others.
  private let lastStream = Guarded(UInt32.random(in: .min ... .max))
  private let log: Logger

  /// Binds the port. The other nodes send to the host of the node's address.
  /// - Parameter host: that of HTTP.
  init(_ cluster: Cluster, _ settings: ClusterSettings, host: String, log: Logger) throws(StartError) {
    let reached = try Self.numeric(settings.address.flatMap { NodeURL($0)?.host } ?? host)
    do throws(LinkError) {
      // A node may reach another from any of its addresses.
      let bind = reached.isLoopback ? reached.host : reached.isIPv4 ? "0.0.0.0" : "::"
      port = try LinkPort(bind: NodeAddress(host: bind, port: settings.linkPort))
    } catch {
      throw .cluster(reason: "the port of links between nodes: \(error)")
    }
    address = reached.isIPv4 ? "\(reached.host):\(port.address.port)" : "[\(reached.host)]:\(port.address.port)"
    self.cluster = cluster
    self.log = log
  }

  /// Resolves a host.
  private static func numeric(_ host: String) throws(StartError) -> TransportAddress {
    let name = host.trimmingCharacters(in: ["[", "]"])
    if let address = TransportAddress(host: name, port: 0) { return address }
    guard let resolved = (try? SocketAddress.makeAddressResolvingHost(name, port: 0))?.ipAddress,
      let address = TransportAddress(host: resolved, port: 0)
    else { throw .cluster(reason: "the host \(name.prefix(64)) of the node's address can't be resolved") }
    return address
  }

  /// Adds the metrics of the links.
  func addMetrics(to text: inout PrometheusText) {
    let counters = port.counters
    text.add("roomserver_node_links", .gauge, "Links to other nodes.", counters.links)
    text.add("roomserver_node_link_datagrams_sent_total", .counter, "Datagrams sent to other nodes.", counters.datagramsSent)
    text.add(
      "roomserver_node_link_datagrams_received_total", .counter, "Datagrams received from other nodes.",
      counters.datagramsReceived)
    text.add(
      "roomserver_node_link_dropped_total", .counter, "Datagrams to other nodes dropped because the socket's buffer was full.",
      counters.socketFull)
    let adaptations = links.withLock { links in
      links.map { ($0.key.node, $0.value.link.status.adaptation) }.sorted { $0.0 < $1.0 }
    }
    text.add(
      "roomserver_node_link_limit_bps", .gauge, "What the path to another node carries; 0 while no limit is known.",
      label: "node",
      adaptations.map { ($0.0, $0.1.limit ?? 0) })
    text.add(
      "roomserver_node_link_waiting_bytes", .gauge, "Bytes of video that wait for the path to another node.", label: "node",
      adaptations.map { ($0.0, $0.1.waiting) })
    text.add(
      "roomserver_node_link_held_streams", .gauge, "Wanted streams that the path to another node does not carry.",
      label: "node",
      adaptations.map { ($0.0, $0.1.held) })
  }

  /// Returns the link to a member, which the first call opens. The other node opens its end when it is asked for tracks, or asks.
  func link(to member: ClusterMember) throws(LinkError) -> OpenLink {
    guard let address = member.report.link else { throw .invalidAddress("") }
    let end = Self.end(member.incarnation)
    let members = Set(cluster.node.membership.members.keys.map(Self.end))
    do {
      return try links.withLock { links in
        // Those that have ended never return.
        for (end, open) in links where !members.contains(end) {
          open.link.close()
          links[end] = nil
        }
        if let open = links[end], open.address == address { return open.link }
        let keys = try LinkKeys(
          secret: cluster.secret, local: LinkEnd(node: cluster.node.id.text, incarnation: cluster.process), remote: end)
        let name = "\(member.incarnation.node)"
        let link = try port.open(to: Self.address(address), keys) { [log] event in
          switch event {
          case .live: log.info("link to a node is live", metadata: ["node": "\(name)"])
          case .silent, .dead: log.warning("link to a node is \(event)", metadata: ["node": "\(name)"])
          case .held(0): log.info("link to a node carries all streams again", metadata: ["node": "\(name)"])
          case .held(let count):
            log.warning(
              "link to a node carries less than its streams need; layers are held back",
              metadata: ["node": "\(name)", "held": "\(count)"])
          default: break
          }
        }
        links[end] = Open(address: address, link: link)
        return link
      }
    } catch {
      throw (error as? LinkError) ?? .stopped
    }
  }

  /// Returns what the link to a member measures; nil without a link.
  func status(of member: Incarnation) -> OpenLink.Status? { links.withLock { $0[Self.end(member)]?.link.status } }

  /// The measured round trip to a member, in µs; 0 if none is known.
  func roundTrip(to member: Incarnation) -> Int64 { status(of: member)?.estimate.roundTrip ?? 0 }

  /// Whether nothing has arrived from a member for a second, although there is a link to it.
  func isSilent(_ member: Incarnation) -> Bool { [.silent, .dead].contains(status(of: member)?.liveness) }

  /// The eventfd that lets the port read its sources. Valid as long as this.
  var wakeDescriptor: Int32 { port.wakeDescriptor }

  /// Returns the first of some numbers for streams that this node sends.
  func newStreams(_ count: Int = 1) -> UInt32 {
    lastStream.withLock { last in
      defer { last &+= UInt32(clamping: count) }
      return last &+ 1
    }
  }

  /// Ends all links. Blocks until the port's thread has ended.
  func stop() { port.stop() }

  private static func end(_ incarnation: Incarnation) -> LinkEnd {
    LinkEnd(node: incarnation.node.text, incarnation: incarnation.process)
  }

  /// Parses "10.0.0.7:8200" or "[2001:db8::1]:8200".
  private static func address(_ text: String) throws(LinkError) -> NodeAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw .invalidAddress(text)
    }
    return try NodeAddress(host: text[..<colon].trimmingCharacters(in: ["[", "]"]), port: port)
  }
}
