import Glibc
import Testing

@testable import RoomSFU

@Suite("send batch")
struct SendBatchTests {
  /// Returns a pair of datagram sockets, the first of which soon blocks.
  private func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private func receiveAll(_ descriptor: Int32) -> [[UInt8]] {
    var all: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 2048)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return all }
      all.append(Array(buffer[..<count]))
    }
  }

  private func write(_ byte: UInt8, to batch: inout SendBatch, by socket: Int32, subscription: Int32) {
    batch.next.storeBytes(of: byte, as: UInt8.self)
    batch.commit(1, to: Destination(socket: socket), subscription: subscription)
  }

  @Test("a full socket loses video and keeps audio, which is sent with the next flush")
  func full() throws {
    let (left, right) = try pair()
    defer {
      close(left)
      close(right)
    }
    while send(left, "x", 1, 0) == 1 {}
    var batch = SendBatch()
    for number in 0..<10 as Range<UInt8> {
      write(number, to: &batch, by: left, subscription: number % 2 == 0 ? Int32(number) : -1)
    }
    let outcome = batch.flush()
    #expect((outcome.packets, outcome.full, outcome.failed) == (0, 5, 0))
    let dropped = (0..<5).map { batch.dropped[$0] }
    #expect(dropped == [0, 2, 4, 6, 8])
    let kept = batch.count
    #expect(kept == 5)

    _ = receiveAll(right)
    write(77, to: &batch, by: left, subscription: 3)
    let second = batch.flush()
    #expect((second.packets, second.full, second.bytes) == (6, 0, 6))
    #expect(receiveAll(right) == [[1], [3], [5], [7], [9], [77]])
    let remaining = batch.count
    #expect(remaining == 0)
  }

  @Test("a datagram that can't be sent does not hold up the others")
  func refused() throws {
    let (left, right) = try pair()
    defer {
      close(left)
      close(right)
    }
    var batch = SendBatch()
    write(1, to: &batch, by: left, subscription: -1)
    // A socket of this family has no such address.
    batch.next.storeBytes(of: 2, as: UInt8.self)
    batch.commit(1, to: Destination(.init(ipv4: 0x7F00_0001, port: 9), socket: left))
    write(3, to: &batch, by: left, subscription: -1)
    let outcome = batch.flush()
    #expect((outcome.packets, outcome.failed) == (2, 1))
    #expect(receiveAll(right) == [[1], [3]])
  }

  @Test("the number of kept urgent datagrams is limited")
  func bounded() throws {
    let (left, right) = try pair()
    defer {
      close(left)
      close(right)
    }
    while send(left, "x", 1, 0) == 1 {}
    var batch = SendBatch()
    for number in 0..<UInt8(SendBatch.capacity) { write(number, to: &batch, by: left, subscription: -1) }
    let isFull = batch.isFull
    #expect(isFull)
    let outcome = batch.flush()
    #expect(outcome.failed == SendBatch.capacity / 2)
    let kept = batch.count
    #expect(kept == SendBatch.capacity / 2)
  }
}
