import RoomTestSupport
import Testing

@testable import RoomSFU

@Suite("byte queue")
struct ByteQueueTests {
  @Test("bytes are removed in the order of insertion, over many rounds", arguments: 1...5 as ClosedRange<UInt64>)
  func order(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var queue = try #require(ByteQueue(capacity: 5000))
    defer { queue.free() }
    #expect(queue.capacity == 8192)
    var model: [UInt8] = []
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 1...600, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator)
      }
      if queue.count + bytes.count <= queue.capacity {
        bytes.withUnsafeBytes { if let base = $0.baseAddress { queue.append(base, $0.count) } }
        model += bytes
      }
      let front = Array(queue.front)
      #expect(front == Array(model.prefix(front.count)))
      #expect(front.isEmpty == model.isEmpty)
      let taken = Int.random(in: 0...front.count, using: &generator)
      queue.remove(taken)
      model.removeFirst(taken)
      #expect(queue.count == model.count)
    }
  }

  @Test("a queue can be filled to the last byte")
  func full() throws {
    var queue = try #require(ByteQueue(capacity: 4096))
    defer { queue.free() }
    let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
    bytes.withUnsafeBytes { if let base = $0.baseAddress { queue.append(base, 4096) } }
    #expect(Array(queue.front) == bytes)
    queue.remove(4096)
    #expect(queue.count == 0 && queue.front.isEmpty)
  }
}
