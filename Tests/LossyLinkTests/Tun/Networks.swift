import Foundation
import Glibc
import RoomCLinux
import RoomLinkModel

@testable import RoomLossyLink

/// Whether this system lets the tests make network namespaces and devices.
enum Networks {
  static let areAllowed: Bool = {
    guard access("/dev/net/tun", R_OK | W_OK) == 0, let one = try? NetworkNamespace(), let other = try? NetworkNamespace(),
      let link = try? TunLink(LinkSchedule(down: .perfect, up: .perfect), seed: 1, near: one, far: other)
    else { return false }
    link.stop()
    return true
  }()

  /// Whether the kernel also has the token bucket filter, and `tc` and `ip` are installed.
  static let haveTokenBucket: Bool = {
    guard areAllowed, let one = try? NetworkNamespace(), let other = try? NetworkNamespace() else { return false }
    return (try? TokenBucketLink(near: one, far: other, rate: 1_000_000, queueBytes: 30_000)) != nil
  }()
}

/// The kernel's own bottleneck: a pair of virtual Ethernet devices with a token bucket filter. It has no delay.
struct TokenBucketLink {
  struct Failed: Error { let command: String }

  /// The addresses are those of `TunLink`.
  init(near: NetworkNamespace, far: NetworkNamespace, rate: Int, queueBytes: Int) throws {
    let farPath = far.prefix[1].dropFirst("--net=".count)
    try Self.run(near, "ip link add near type veth peer name far")
    try Self.run(near, "ip link set far netns \(farPath)")
    try Self.run(near, "ip address add \(TunLink.nearText)/30 dev near")
    try Self.run(near, "ip link set near up")
    try Self.run(far, "ip address add \(TunLink.farText)/30 dev far")
    try Self.run(far, "ip link set far up")
    try Self.run(near, "tc qdisc add dev near root tbf rate \(rate)bit burst 1540 limit \(queueBytes)")
  }

  private static func run(_ network: NetworkNamespace, _ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = network.prefix + command.split(separator: " ").map(String.init)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(command: command) }
  }
}

/// Datagrams at a constant rate from the near side to the far side, and what arrived of them.
struct DatagramStream {
  /// Bits per second that arrived, with IP and UDP headers.
  var throughput = 0.0
  /// How long each datagram was on its way, in microseconds, in the order of arrival.
  var delays: [Int64] = []

  /// - Parameters:
  ///   - bytes: payload of a datagram.
  ///   - warmup: seconds at the start that are not measured.
  init(
    near: NetworkNamespace, far: NetworkNamespace, rate: Double, bytes: Int = 972, seconds: Double, warmup: Double
  ) throws {
    let sender = try near.perform { try Self.socket(TunLink.near, 0) }
    let receiver = try far.perform { try Self.socket(TunLink.far, 5000) }
    defer { for descriptor in [sender, receiver] { close(descriptor) } }
    var target = Self.address(TunLink.far, 5000)
    let interval = Int64(Double(bytes + 28) * 8_000_000 / rate)
    let start = linux_now_us()
    let end = start + Int64(seconds * 1_000_000)
    var next = start
    var arrived = 0
    var payload = [UInt8](repeating: 0, count: bytes)
    var now = start
    while now < end {
      while next <= now {
        payload.withUnsafeMutableBytes { $0.storeBytes(of: next, as: Int64.self) }
        _ = withUnsafePointer(to: &target) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(sender, payload, bytes, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        next += interval
      }
      var poll = pollfd(fd: receiver, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, Int32(max(1, (next - now) / 1000)))
      now = linux_now_us()
      while recv(receiver, &payload, bytes, Int32(MSG_DONTWAIT)) == bytes {
        guard now - start > Int64(warmup * 1_000_000) else { continue }
        arrived += bytes + 28
        delays.append(now - payload.withUnsafeBytes { $0.load(as: Int64.self) })
      }
    }
    throughput = Double(arrived) * 8 / (seconds - warmup)
  }

  /// The median of the delays in milliseconds.
  var medianDelay: Double { delays.isEmpty ? 0 : Double(delays.sorted()[delays.count / 2]) / 1000 }

  private static func socket(_ address: UInt32, _ port: UInt16) throws -> Int32 {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = Self.address(address, port)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else {
      close(descriptor)
      throw NetworkNamespace.Refused(what: "a socket", errno: errno)
    }
    return descriptor
  }

  private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }
}
