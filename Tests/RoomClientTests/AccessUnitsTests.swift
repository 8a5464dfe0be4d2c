import RoomTestSupport
import Testing

@testable import forward_elementary_stream

@Suite("Access units of an H.264 stream")
struct AccessUnitsTests {
  private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xF0]
  private static let parameters: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 3, 0, 0, 1, 0x68, 4, 5]
  private static func slice(_ type: UInt8, first: Bool = true, _ fill: UInt8) -> [UInt8] {
    [0, 0, 1, type, first ? 0x88 : 0x48, fill, fill, fill]
  }

  private func cut(_ stream: [UInt8], piece: Int) throws -> [AccessUnits.Unit] {
    var units = AccessUnits()
    var all: [AccessUnits.Unit] = []
    var position = 0
    while position < stream.count {
      let end = min(position + piece, stream.count)
      let whole = units.append(stream[position..<end])
      all += try #require(whole)
      position = end
    }
    return all + units.finish()
  }

  @Test("are split the same for any chunk size", arguments: [1, 2, 3, 7, 1000]) func areCut(piece: Int) throws {
    let stream =
      Self.parameters + Self.slice(5, 1) + Self.slice(5, first: false, 2) + Self.slice(1, 3) + Self.delimiter + Self.slice(1, 4)
      + Self.parameters + Self.slice(5, 5)
    let units = try cut(stream, piece: piece)
    #expect(units.map(\.isKeyFrame) == [true, false, false, true])
    // Two slices of one picture stay together; parameter sets belong to the picture that follows.
    #expect(units.first?.data.filter { $0 == 0x88 || $0 == 0x48 } == [0x88, 0x48])
    #expect(units.last?.data.prefix(5) == [0, 0, 0, 1, 0x67])
    #expect(units.allSatisfy { $0.data.starts(with: [0, 0, 0, 1]) })
  }

  @Test("noise neither traps nor grows the buffer without limit") func survivesNoise() {
    var generator = SeededGenerator(seed: 1)
    var units = AccessUnits()
    for _ in 0..<200 {
      let noise = (0..<500).map { _ in UInt8.random(in: 0...3, using: &generator) }
      _ = units.append(noise)
    }
    _ = units.finish()
    var endless = AccessUnits()
    let filler = [UInt8](repeating: 7, count: 1 << 20)
    let ends = (0..<10).contains { _ in endless.append(filler) == nil }
    #expect(ends)
  }
}
