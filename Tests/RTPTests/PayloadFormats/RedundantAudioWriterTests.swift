import Testing

@testable import RoomRTP

@Suite("RED payloads that are written")
struct RedundantAudioWriterTests {
  private struct Block: Equatable {
    var offset: UInt32
    var data: [UInt8]
    var distance: Int
  }

  private func blocks(_ payload: [UInt8]?) throws -> [Block] {
    let payload = try #require(payload)
    return try #require(
      payload.read { raw in
        RedundantAudio(parsing: raw).map { audio in
          audio.map { block in
            #expect(block.payloadType == 111)
            return Block(offset: block.timestampOffset, data: Array(block.data), distance: block.distance)
          }
        }
      })
  }

  private func writer(_ packets: ([UInt8], UInt32, UInt8?)...) -> RedundantAudioWriter {
    var writer = RedundantAudioWriter()
    for (payload, timestamp, level) in packets { writer.append(payload, timestamp: timestamp, level: level) }
    return writer
  }

  @Test("a payload has as many copies as its distance, the oldest first, and can be parsed")
  func copies() throws {
    let writer = writer(([9, 9, 9], 0, nil), ([1, 1, 1], 960, nil), ([2, 2, 2, 2], 1920, 20))
    func payload(_ distance: Int) -> [UInt8]? {
      writer.payload(of: [3], timestamp: 2880, payloadType: 111, distance: distance)
    }
    #expect(payload(0) == nil)
    let newest = [Block(offset: 960, data: [2, 2, 2, 2], distance: 1), Block(offset: 0, data: [3], distance: 0)]
    #expect(try blocks(payload(1)) == newest)
    #expect(try blocks(payload(2)) == [Block(offset: 1920, data: [1, 1, 1], distance: 2)] + newest)
    #expect(try blocks(payload(3)).count == 3, "no more are kept")
  }

  @Test("a silent packet, and one of DTX, is not copied, and no older one either")
  func silence() throws {
    let loud: ([UInt8], UInt32, UInt8?) = ([1, 1, 1], 960, 30)
    for quiet: ([UInt8], UInt8?) in [([2, 2, 2], 60), ([2, 2, 2], 127), ([2, 2], nil)] {
      let before = writer(loud, (quiet.0, 1920, quiet.1))
      #expect(before.payload(of: [3], timestamp: 2880, payloadType: 111, distance: 2) == nil)
      let after = writer((quiet.0, 0, quiet.1), loud)
      #expect(try blocks(after.payload(of: [3], timestamp: 1920, payloadType: 111, distance: 2)).count == 2)
    }
    #expect(RedundantAudioWriter.isAudible(length: 3, level: 59))
  }

  @Test("what RED cannot express or a datagram cannot carry is left out")
  func limits() throws {
    let long = [UInt8](repeating: 1, count: 300)
    let two = writer((long, 0, nil), (long, 960, nil))
    #expect(try blocks(two.payload(of: long, timestamp: 1920, payloadType: 111, distance: 2)).count == 2, "500 bytes of copies")
    #expect(two.payload(of: long, timestamp: 960 + 16_384, payloadType: 111, distance: 2) == nil, "too old")
    #expect(two.payload(of: long, timestamp: 960, payloadType: 111, distance: 2) == nil, "the same time")
    let primary = [UInt8](repeating: 2, count: 900)
    #expect(two.payload(of: primary, timestamp: 1920, payloadType: 111, distance: 2) == nil, "beyond 1100 bytes")
    let huge = writer(([UInt8](repeating: 1, count: 1024), 0, nil))
    #expect(huge.payload(of: [3], timestamp: 960, payloadType: 111, distance: 1) == nil)
  }
}
