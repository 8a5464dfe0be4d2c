import RoomRTP
import Testing

@Suite struct AudioJitterBufferTests {
  private func send(_ buffer: inout JitterBuffer, _ sequence: UInt16, _ time: Int64) -> [EncodedFrame] {
    buffer.insert(header(sequence, timestamp: UInt32(sequence) * 960), [0x78, UInt8(sequence & 0xff)], at(milliseconds: time))
    return buffer.drain(at(milliseconds: time)).frames
  }

  @Test("each packet is a frame and is returned at once")
  func inOrder() throws {
    var buffer = JitterBuffer(format: .opus)
    for index in 0..<100 {
      let frames = send(&buffer, UInt16(truncatingIfNeeded: 65_500 + index), Int64(index) * 20)
      #expect(frames.count == 1)
      #expect(frames.first?.lostBefore == 0)
      #expect(frames.first?.isKeyFrame == true)
    }
  }

  @Test("reordered packets are returned in order")
  func reordered() throws {
    var buffer = JitterBuffer(format: .opus)
    let frames = [1, 3, 4, 2, 5].flatMap { send(&buffer, $0, 0) }
    #expect(frames.map { $0.data[1] } == [1, 2, 3, 4, 5])
    #expect(frames.allSatisfy { $0.lostBefore == 0 })
  }

  @Test("the buffer waits for a lost packet, then reports it with the next")
  func lost() throws {
    var buffer = JitterBuffer(format: .opus)
    _ = send(&buffer, 1, 0)
    #expect(send(&buffer, 4, 60).isEmpty)
    #expect(buffer.deadline == at(milliseconds: 260))
    #expect(buffer.drain(at(milliseconds: 259)).isEmpty)
    let frames = buffer.drain(at(milliseconds: 260)).frames
    #expect(frames.map(\.lostBefore) == [2])
    #expect(buffer.counters.lostPackets == 2)
    #expect(send(&buffer, 5, 261).map(\.lostBefore) == [0])
    #expect(send(&buffer, 2, 262).isEmpty)
    #expect(buffer.counters.latePackets == 1)
  }

  @Test("a duplicate is dropped and does not change the wait")
  func duplicates() throws {
    var buffer = JitterBuffer(format: .opus)
    let wait = buffer.currentWait
    let frames = [1, 1, 2, 1].flatMap { send(&buffer, $0, 0) }
    #expect(frames.count == 2)
    #expect(buffer.counters.duplicates == 2 && buffer.counters.latePackets == 0)
    #expect(buffer.currentWait == wait)
  }

  @Test("the wait becomes short if nothing is repaired")
  func unrepaired() throws {
    var buffer = JitterBuffer(format: .opus)
    var lost = 0
    for index in 0..<2000 where index % 10 != 5 {
      lost += send(&buffer, UInt16(index), Int64(index) * 20).reduce(0) { $0 + $1.lostBefore }
    }
    #expect(lost == 200)
    #expect(buffer.currentWait == 60_000)
  }

  @Test("the loss of a large numbering gap is bounded, and the stream continues")
  func jump() throws {
    var buffer = JitterBuffer(format: .opus)
    _ = send(&buffer, 1, 0)
    let frames = send(&buffer, 20_000, 20) + buffer.drain(at(milliseconds: 400)).frames
    #expect(frames.count == 1)
    #expect((frames.first?.lostBefore ?? 0) <= 256)
    #expect(send(&buffer, 20_001, 420).count == 1)
  }
}
