import RoomTestSupport
import Testing
import RoomWebRTC

@Suite("Stream framing")
struct StreamFramingTests {
  private let limit = 1600

  private func framed(_ packets: [[UInt8]]) -> [UInt8] {
    packets.flatMap { packet in
      let header = StreamFraming.header(length: packet.count)
      return [header.0, header.1] + packet
    }
  }

  /// Reads like a connection: in parts, keeping incomplete frames. Returns nil after a frame that is too long.
  private func read(_ pieces: [ArraySlice<UInt8>]) -> [[UInt8]]? {
    var held: [UInt8] = []
    var packets: [[UInt8]] = []
    for piece in pieces {
      held += piece
      var offset = 0
      reading: while true {
        switch held.withUnsafeBytes({ StreamFraming.next(in: $0, at: offset, limit: limit) }) {
        case .frame(let range):
          packets.append(Array(held[range]))
          offset = range.upperBound
        case .incomplete: break reading
        case .tooLong: return nil
        }
      }
      held.removeFirst(offset)
    }
    return held.isEmpty ? packets : packets + [held]
  }

  @Test("a stream split at any two offsets gives the same packets")
  func cut() {
    let packets: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 7, count: 300), [0], [], [0, 0], [9, 9]]
    let stream = framed(packets)
    for first in 0...stream.count {
      for second in stride(from: first, through: stream.count, by: 7) {
        #expect(read([stream[..<first], stream[first..<second], stream[second...]]) == packets)
      }
    }
    #expect(read(stream.indices.map { stream[$0...$0] }) == packets)
  }

  @Test("an empty frame and a frame of maximum length are valid")
  func edges() {
    let longest = [UInt8](repeating: 5, count: limit)
    #expect(read([framed([[], longest, []])[...]]) == [[], longest, []])
    let whole = framed([longest])
    #expect(whole.dropLast().withUnsafeBytes { StreamFraming.next(in: $0, at: 0, limit: limit) } == .incomplete)
  }

  @Test("a length above the limit is reported before its bytes arrive", arguments: [1601, 18_245, 65_535])
  func tooLong(length: Int) {
    let header = StreamFraming.header(length: length)
    #expect([header.0, header.1].withUnsafeBytes { StreamFraming.next(in: $0, at: 0, limit: 1600) } == .tooLong(length))
    #expect(read([[header.0], [header.1]]) == nil)
  }

  @Test("offsets outside the stream are handled without reading")
  func offsets() {
    let stream = framed([[1]])
    for offset in [-1, 2, 3, 4, Int.max] {
      #expect(stream.withUnsafeBytes { StreamFraming.next(in: $0, at: offset, limit: limit) } == .incomplete)
    }
  }

  @Test("random streams in random parts are read as they were written", arguments: 1...20 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let packets = (0..<50).map { _ in
      (0..<Int.random(in: 0...limit, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
    let stream = framed(packets)
    var pieces: [ArraySlice<UInt8>] = []
    var offset = 0
    while offset < stream.count {
      let end = min(stream.count, offset + Int.random(in: 1...4000, using: &generator))
      pieces.append(stream[offset..<end])
      offset = end
    }
    #expect(read(pieces) == packets)
  }

  @Test("unframed bytes never cause reads out of bounds", arguments: 1...20 as ClosedRange<UInt64>)
  func noise(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let noise = (0..<10_000).map { _ in UInt8.random(in: 0...8, using: &generator) }
    for _ in 0..<200 {
      let start = Int.random(in: 0...7000, using: &generator)
      fuzzStreamFraming(Array(noise[start...].prefix(Int.random(in: 0...3000, using: &generator))))
    }
  }

  private func fuzzStreamFraming(_ bytes: [UInt8]) { bytes.withUnsafeBytes { webRTCFuzzTargets["framing"]?($0) } }
}
