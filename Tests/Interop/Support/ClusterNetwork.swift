import Foundation
import RoomLinkModel
import RoomLossyLink
import Synchronization
import Testing

/// Redis and nodes of a cluster, each in a network namespace, and a router between them and this process. No packet leaves the
/// machine: the router has no other routes. Links can be cut, and Redis can be far away.
///
///     this process ── router ── node 0, node 1, …
///                       └── Redis
///
/// Requires root. The namespaces and their devices are removed with the last reference, and at the end of this process.
final class ClusterNetwork: Sendable {
  /// A network namespace, and its address in it.
  struct Site: Sendable {
    let namespace: NetworkNamespace
    let address: String
  }

  /// A command about the network failed.
  struct Failed: Error, CustomStringConvertible {
    let command: String
    let output: String
    var description: String { "\(command): \(output). Network namespaces require root and /dev/net/tun" }
  }

  let redis: Site
  let nodes: [Site]
  /// The address of this process, as the nodes reach it.
  let address: String
  private let router: NetworkNamespace
  private let link: TunLink
  /// The device of this process's namespace.
  private let device: String

  /// The number of networks that this process has made.
  private static let made = Mutex(0)
  private static let own = "/proc/\(getpid())/ns/net"

  /// - Parameter count: the number of nodes, at most 11.
  init(nodes count: Int) throws {
    let number = Self.made.withLock { made in
      made += 1
      return made
    }
    let slot = try Self.freeSlot(from: Int(getpid()) * 8 + number)
    func address(_ host: Int) -> String { Self.address(host, in: slot) }
    self.address = address(2)
    device = "rs\(getpid())x\(number)"
    let router = try NetworkNamespace()
    self.router = router
    try Self.run(router, "grep -q 1 /proc/sys/net/ipv4/ip_forward || echo 1 > /proc/sys/net/ipv4/ip_forward")

    try Self.join(nil, Self.own, device, self.address, to: router, at: address(1), by: "test")
    try Self.run(nil, "ip route add \(address(0))/28 via \(address(1))")
    nodes = try (0..<count).map { number in
      let site = Site(namespace: try NetworkNamespace(), address: address(3 + number))
      try Self.join(
        site.namespace, site.namespace.path, "node", site.address, to: router, at: address(1), by: "node\(number)")
      try Self.run(site.namespace, "ip route add default via \(address(1))")
      return site
    }
    redis = Site(namespace: try NetworkNamespace(), address: TunLink.farText)
    link = try TunLink(LinkSchedule(down: .perfect, up: .perfect), seed: 1, near: router, far: redis.namespace)
    try Self.run(redis.namespace, "ip route add default via \(TunLink.nearText)")
  }

  private static let slots = 4096

  /// Returns an address of a network. Each has 16.
  private static func address(_ host: Int, in slot: Int) -> String { "10.99.\(slot / 16).\(slot % 16 * 16 + host)" }

  /// Returns a network that nobody uses: test processes run at the same time, and a network of an earlier test may still be there.
  private static func freeSlot(from first: Int) throws -> Int {
    for number in first..<first + slots {
      let slot = number % slots
      if try output(nil, "ip route show \(address(0, in: slot))/28").isEmpty { return slot }
    }
    throw Failed(command: "ip route show", output: "all networks are in use")
  }

  deinit {
    link.stop()
    try? Self.run(nil, "ip link delete \(device)")
  }

  // MARK: Faults

  /// Drops all packets between two sites from now on, without a notice to either.
  func cut(_ one: Site, _ other: Site) throws { try change("add", one, other) }

  /// Ends ``cut(_:_:)``.
  func mend(_ one: Site, _ other: Site) throws { try change("delete", one, other) }

  /// Limits what arrives at a node to a bitrate in bps, with a queue of 300 ms; nil ends the limit.
  func narrow(_ node: Int, to rate: Int?) throws {
    let command = rate.map { "replace dev node\(node) root tbf rate \($0)bit burst 4kb latency 300ms" }
    try Self.run(router, "tc qdisc \(command ?? "delete dev node\(node) root")")
  }

  /// Delays each packet from and to Redis by this time; ms. A request takes twice as long.
  func delayRedis(_ delay: Int64) {
    let conditions = LinkConditions(delay: delay * 1000)
    link.begin(LinkSchedule(down: conditions, up: conditions))
  }

  private func change(_ verb: String, _ one: Site, _ other: Site) throws {
    for (from, to) in [(one, other), (other, one)] {
      try Self.run(router, "ip rule \(verb) from \(from.address) to \(to.address) blackhole")
    }
  }

  // MARK: Commands

  /// Connects a namespace to the router by a pair of virtual Ethernet devices.
  /// - Parameter namespace: nil for this process's own.
  private static func join(
    _ namespace: NetworkNamespace?, _ path: String, _ device: String, _ address: String, to router: NetworkNamespace,
    at routerAddress: String, by routerDevice: String
  ) throws {
    try run(
      router,
      """
      ip link add \(routerDevice) type veth peer name \(device) netns \(path) &&
      ip address add \(routerAddress) peer \(address) dev \(routerDevice) && ip link set \(routerDevice) up
      """)
    try run(namespace, "ip address add \(address) peer \(routerAddress) dev \(device) && ip link set \(device) up")
  }

  private static func run(_ namespace: NetworkNamespace?, _ command: String) throws { _ = try output(namespace, command) }

  private static func output(_ namespace: NetworkNamespace?, _ command: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = (namespace?.prefix ?? []) + ["sh", "-c", command]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(command: command, output: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return text
  }
}

extension NetworkNamespace {
  /// The namespace's path, as `ip` and `nsenter` read it.
  fileprivate var path: String { String(prefix[1].dropFirst("--net=".count)) }

  /// The number of UDP datagrams over IPv4 that programs of this namespace have sent.
  func datagramsSent() throws -> Int {
    let text = try perform { try String(contentsOfFile: "/proc/thread-self/net/snmp", encoding: .utf8) }
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Udp:") }.map { $0.split(separator: " ") }
    let column = try #require(lines.first?.firstIndex(of: "OutDatagrams"))
    return try #require(lines.last.flatMap { $0.indices.contains(column) ? Int($0[column]) : nil })
  }
}
