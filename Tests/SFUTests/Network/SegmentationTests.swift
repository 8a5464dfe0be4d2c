import Glibc
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("segmented messages")
struct SegmentationTests {
  private let kernel = FakeKernel()
  private let there = Destination(socket: 5)

  /// Returns the packet lengths of each message that a batch makes of these packets.
  private func messages(_ build: (inout SendBatch) -> Void) -> [[Int]] {
    var batch = SendBatch(calls: kernel.calls)
    build(&batch)
    _ = batch.flush()
    return kernel.taken.map { $0.packets.map(\.count) }
  }

  // MARK: What joins

  @Test(
    "packets of one length join, a shorter one joins as the last, a longer one begins a new message",
    arguments: [
      ([100, 100, 100], [[100, 100, 100]]), ([100, 100, 99, 100], [[100, 100, 99], [100]]),
      ([99, 100, 100], [[99], [100, 100]]),
      ([100, 2, 2], [[100, 2], [2]]), ([100], [[100]]),
      (Array(repeating: 50, count: 9), [Array(repeating: 50, count: 8), [50]]),
    ])
  func lengths(given: [Int], expected: [[Int]]) {
    let made = messages { batch in
      for (number, length) in given.enumerated() { batch.add(packet(number, length), to: there) }
    }
    #expect(made == expected)
    #expect(kernel.packets == given.enumerated().map { packet($0.offset, $0.element) }, "in order, byte for byte")
    #expect(kernel.callCount == 1)
  }

  @Test("nothing joins after the end of a message, and a packet that does not join ends one")
  func ends() {
    let made = messages { batch in
      batch.add(packet(0), to: there)
      batch.endMessage()
      batch.add(packet(1), to: there)
      batch.add(packet(2), to: there, subscription: -1, joins: false)
      batch.add(packet(3), to: there)
      batch.add(packet(4), to: there)
    }
    #expect(made == [[100], [100], [100], [100, 100]])
  }

  @Test("messages of two sockets are sent from their own socket, in order")
  func sockets() {
    let other = Destination(socket: 6)
    _ = messages { batch in
      for destination in [there, other, there] {
        batch.endMessage()
        for number in 0..<3 { batch.add(packet(number), to: destination) }
      }
    }
    #expect(kernel.taken.map(\.socket) == [5, 6, 5])
    #expect(kernel.taken.allSatisfy { $0.packets.count == 3 })
  }

  @Test("packets, bytes, messages and segments are counted, whatever part of them a call sends")
  func counters() {
    kernel.answer = { .take(min(2, $0.count)) }
    var batch = SendBatch(calls: kernel.calls)
    for group in 0..<5 {
      batch.endMessage()
      for number in 0...group { batch.add(packet(number), to: there) }
    }
    let count = batch.count
    #expect(count == 15)
    let outcome = batch.flush()
    #expect(outcome == SendBatch.Outcome(packets: 15, bytes: 1500, segmentedMessages: 4, segments: 14))
    #expect(kernel.callCount == 3)
  }

  // MARK: The ladder

  private func frame(_ batch: inout SendBatch, _ count: Int = 3, subscription: Int32 = 1) -> SendBatch.Outcome {
    batch.endMessage()
    let joins = batch.segments(to: there)
    for number in 0..<count { batch.add(packet(number), to: there, subscription: subscription, joins: joins) }
    return batch.flush()
  }

  private func refuseSegments(_ cause: Int32) {
    kernel.answer = { messages in
      let good = messages.prefix { $0.packets.count == 1 }.count
      return good == 0 ? .refuse(cause) : .take(good)
    }
  }

  @Test(
    "a refused message is sent as datagrams at once, with the messages around it",
    arguments: [EIO, EINVAL, EOPNOTSUPP, EMSGSIZE])
  func refused(cause: Int32) {
    refuseSegments(cause)
    var batch = SendBatch(calls: kernel.calls)
    batch.add(packet(0), to: there, joins: false)
    for number in 1..<4 { batch.add(packet(number), to: there) }
    batch.add(packet(4), to: there, joins: false)
    #expect(batch.flush() == SendBatch.Outcome(packets: 5, bytes: 500, refusedMessages: 1))
    #expect(kernel.packets == (0..<5).map { packet($0) })
  }

  @Test("nothing is segmented if segmentation is disabled")
  func switchedOff() {
    var batch = SendBatch(calls: kernel.calls, segments: false)
    for number in 0..<4 { batch.add(packet(number), to: there) }
    #expect(batch.flush() == SendBatch.Outcome(packets: 4, bytes: 400))
    #expect(kernel.packets == (0..<4).map { packet($0) })
  }

  @Test("a socket that never sent a segmented message gives up after a few refusals, and loses nothing")
  func givesUp() {
    refuseSegments(EIO)
    var batch = SendBatch(calls: kernel.calls)
    for _ in 0..<SendLadder.firstPatience {
      let segments = batch.segments(to: there)
      #expect(segments)
      #expect(frame(&batch) == SendBatch.Outcome(packets: 3, bytes: 300, refusedMessages: 1))
    }
    let segments = batch.segments(to: there)
    #expect(!segments)
    #expect(frame(&batch) == SendBatch.Outcome(packets: 3, bytes: 300))
    let other = batch.segments(to: Destination(socket: 6))
    #expect(other, "other sockets are not affected")
    #expect(kernel.packets.count == 15)
  }

  @Test("one receiver with a small path MTU does not affect the others")
  func narrowPath() {
    var batch = SendBatch(calls: kernel.calls)
    refuseSegments(EMSGSIZE)
    for _ in 0..<200 { _ = frame(&batch) }
    var segments = batch.segments(to: there)
    #expect(segments)
    // In older kernels the error is EINVAL. Messages sent in between reset the count.
    for _ in 0..<200 {
      kernel.answer = { .take($0.count) }
      _ = frame(&batch)
      refuseSegments(EINVAL)
      _ = frame(&batch)
    }
    segments = batch.segments(to: there)
    #expect(segments)
    for _ in 0..<SendLadder.patience { _ = frame(&batch) }
    segments = batch.segments(to: there)
    #expect(!segments)
  }

  @Test("an error unrelated to segmentation does not cost the rung")
  func unreachable() {
    var batch = SendBatch(calls: kernel.calls)
    kernel.answer = { _ in .refuse(EPERM) }
    for _ in 0..<200 { #expect(frame(&batch) == SendBatch.Outcome(refusedMessages: 1, failed: 3)) }
    let segments = batch.segments(to: there)
    #expect(segments)
  }

  @Test("without sendmmsg each packet is sent by itself, joined or not")
  func withoutBatches() {
    kernel.answer = { messages in messages.allSatisfy(\.isSingle) ? .take(1) : .refuse(ENOSYS) }
    var batch = SendBatch(calls: kernel.calls)
    batch.add(packet(0), to: there, joins: false)
    for number in 1..<4 { batch.add(packet(number), to: there) }
    #expect(batch.flush() == SendBatch.Outcome(packets: 4, bytes: 400))
    #expect(kernel.packets == (0..<4).map { packet($0) })
    #expect(frame(&batch) == SendBatch.Outcome(packets: 3, bytes: 300))
    #expect(kernel.taken.allSatisfy { $0.isSingle })
  }

  @Test("the rest of a refused message is lost when the buffer fills, and audio behind it is kept")
  func fullWhileApart() {
    var room = 2
    kernel.answer = { messages in
      guard messages[0].packets.count == 1 else { return .refuse(EIO) }
      guard room > 0 else { return .refuse(EAGAIN) }
      room -= 1
      return .take(1)
    }
    var batch = SendBatch(calls: kernel.calls)
    for number in 0..<5 { batch.add(packet(number), to: there, subscription: 9) }
    batch.add(packet(77, 40), to: there, subscription: -1, joins: false)
    batch.add(packet(6), to: there, subscription: 8)
    #expect(batch.flush() == SendBatch.Outcome(packets: 2, bytes: 200, refusedMessages: 1, full: 4, lagging: 2))
    let dropped = (0..<2).map { batch.dropped[$0] }
    #expect(dropped == [9, 8])
    room = 10
    batch.add(packet(8), to: there, subscription: 8)
    #expect(batch.flush() == SendBatch.Outcome(packets: 2, bytes: 140))
    #expect(kernel.packets == [packet(0), packet(1), packet(77, 40), packet(8)])
  }

  @Test("an interrupted call is repeated")
  func interrupted() {
    var interruptions = 3
    kernel.answer = { messages in
      interruptions -= 1
      return interruptions >= 0 ? .refuse(EINTR) : .take(messages.count)
    }
    var batch = SendBatch(calls: kernel.calls)
    #expect(frame(&batch) == SendBatch.Outcome(packets: 3, bytes: 300, segmentedMessages: 1, segments: 3))
  }

  @Test("sockets beyond the tracked number send unsegmented")
  func manySockets() {
    var batch = SendBatch(calls: kernel.calls)
    let first = (0..<Int32(SendLadder.sockets)).map { batch.segments(to: Destination(socket: $0)) }
    #expect(first.allSatisfy { $0 })
    let beyond = batch.segments(to: Destination(socket: 1000))
    #expect(!beyond)
    kernel.answer = { _ in .refuse(ENOSYS) }
    batch.add(packet(0), to: Destination(socket: 1000), joins: beyond)
    #expect(batch.flush() == SendBatch.Outcome(failed: 1))
  }

  // MARK: The real kernel

  @Test("each receiver gets every packet as a separate datagram", arguments: ["127.0.0.1", "::1"])
  func loopback(host: String) throws {
    guard host != "::1" || hasIPv6 else { return }
    let sender = try UDPSocket(bind: try #require(TransportAddress(host: host, port: 0)))
    defer { sender.close() }
    var batch = SendBatch()
    let receivers = try (0..<3).map { _ in try UDPSocket(bind: try #require(TransportAddress(host: host, port: 0))) }
    defer { for receiver in receivers { receiver.close() } }
    var total = SendBatch.Outcome()
    for receiver in receivers {
      let destination = Destination(receiver.local, socket: sender.descriptor)
      batch.endMessage()
      let joins = batch.segments(to: destination)
      for number in 0..<12 { batch.add(packet(number, number == 11 ? 700 : 1200), to: destination, joins: joins) }
    }
    while batch.count > 0 {
      let outcome = batch.flush()
      total.packets += outcome.packets
      total.bytes += outcome.bytes
    }
    #expect((total.packets, total.bytes) == (36, 3 * (11 * 1200 + 700)))
    for receiver in receivers {
      var received: [[UInt8]] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while received.count < 12 {
        var waiting = pollfd(fd: receiver.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&waiting, 1, 5000) == 1)
        let count = recv(receiver.descriptor, &buffer, buffer.count, 0)
        if count > 0 { received.append(Array(buffer[..<count])) }
      }
      #expect(received == (0..<12).map { packet($0, $0 == 11 ? 700 : 1200) })
    }
  }
}
