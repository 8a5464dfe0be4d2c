import RoomCLinux
import Glibc
import Testing

import RoomLinkModel
@testable import RoomLossyLink

@Suite("A lossy link between sockets")
struct LossyLinkTests {
  /// Returns the datagrams that a socket receives, until `count` have arrived or none has arrived for two seconds.
  func receive(_ count: Int, at socket: LoopbackSocket) -> [(bytes: [UInt8], from: sockaddr_in)] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
    defer { buffer.deallocate() }
    var received: [(bytes: [UInt8], from: sockaddr_in)] = []
    while received.count < count {
      var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 2000) == 1 else { break }
      while let next = socket.receive(into: buffer) { received.append(next) }
    }
    return received
  }

  @Test("clients' packets reach the target, and its responses reach the clients")
  func relaysBothWays() throws {
    let target = try LoopbackSocket()
    let link = try LossyLink(to: target.port, seed: 1)
    defer { link.stop() }
    let clients = try (0..<3).map { _ in try LoopbackSocket() }
    for (name, client) in clients.enumerated() { client.send([UInt8(name)], to: LoopbackSocket.address(port: link.port)) }

    let asked = receive(3, at: target)
    #expect(Set(asked.map { $0.from.sin_port }).count == 3)
    for (bytes, from) in asked { target.send(bytes + [99], to: from) }

    for (name, client) in clients.enumerated() {
      let answers = receive(1, at: client)
      #expect(answers.map(\.bytes) == [[UInt8(name), 99]])
      #expect(answers.first?.from.sin_port.bigEndian == link.port)
    }
    // The link counts a datagram just after sending it.
    for direction in [LossyLink.Direction.toTarget, .toClient] {
      let deadline = ContinuousClock.now + .seconds(10)
      while link.counters(direction).arrived < 3, ContinuousClock.now < deadline { sched_yield() }
      #expect(link.counters(direction) == LossyLink.Counters(sent: 3, arrived: 3))
    }
  }

  @Test("it loses packets as its model decides, independently in each direction")
  func loses() throws {
    let target = try LoopbackSocket()
    let link = try LossyLink(to: target.port, toTarget: LinkConditions(loss: 0.5), seed: 42)
    defer { link.stop() }
    var model = LinkModel(LinkConditions(loss: 0.5), seed: 42)
    let expected = (0..<200).filter { _ in model.send(bytes: 1, at: .init(microseconds: 0)) != .lost }.map { [UInt8($0)] }

    let client = try LoopbackSocket()
    for packet in 0..<200 { client.send([UInt8(packet)], to: LoopbackSocket.address(port: link.port)) }
    let received = receive(expected.count, at: target)
    #expect(received.map(\.bytes) == expected)
    #expect(link.counters(.toTarget).lost == 200 - expected.count)

    for packet in 0..<100 { if let from = received.first?.from { target.send([UInt8(packet)], to: from) } }
    #expect(receive(100, at: client).count == 100)
  }

  @Test("conditions can change at any time")
  func changes() throws {
    let target = try LoopbackSocket()
    let link = try LossyLink(to: target.port, toTarget: LinkConditions(loss: 1), seed: 1)
    defer { link.stop() }
    let client = try LoopbackSocket()
    client.send([1], to: LoopbackSocket.address(port: link.port))
    while link.counters(.toTarget).sent == 0 { usleep(1000) }
    link.set(.toTarget, to: LinkConditions(delay: 50_000))
    let sent = linux_now_us()
    client.send([2], to: LoopbackSocket.address(port: link.port))
    #expect(receive(1, at: target).map(\.bytes) == [[2]])
    #expect(linux_now_us() - sent >= 50_000)
  }

  @Test("a stopped link has closed its sockets; stopping again does nothing")
  func stops() throws {
    let target = try LoopbackSocket()
    let link = try LossyLink(to: target.port, seed: 1)
    link.stop()
    link.stop()
    // The link's port is free again.
    var address = LoopbackSocket.address(port: link.port)
    let again = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        linux_udp_socket($0, socklen_t(MemoryLayout<sockaddr_in>.size), 1 << 16)
      }
    }
    #expect(again >= 0)
    if again >= 0 { close(again) }
  }
}
