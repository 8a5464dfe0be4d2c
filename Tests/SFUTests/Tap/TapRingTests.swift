import Foundation
import Testing

@testable import RoomSFU

@Suite("tap ring")
struct TapRingTests {
  private func payload(_ number: Int64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(number &* 37 % 1400))
  }

  private func write(_ number: Int64, to ring: TapRing) -> Bool {
    let bytes = payload(number)
    return bytes.withUnsafeBytes {
      ring.write(.init(sequence: number, length: UInt16(bytes.count), kind: 1), $0.baseAddress)
    }
  }

  @Test("records are read as they were written, over many laps")
  func laps() {
    let ring = TapRing(capacity: 4096)
    defer { ring.free() }
    var next: Int64 = 0
    var read: Int64 = 0
    var isWhole = true
    for _ in 0..<3000 {
      while write(next, to: ring) { next += 1 }
      let ends = next
      while read < ends {
        guard ring.read({ head, bytes in isWhole = isWhole && head.sequence == read && bytes.elementsEqual(payload(read)) })
        else {
          break
        }
        read += 1
      }
      #expect(read == ends)
      next = max(next, read)
    }
    #expect(isWhole)
    #expect(read > 6000)
    #expect(ring.lost == 3000)
  }

  @Test("one thread writes and another reads, and nothing is torn")
  func threads() async {
    let tap = TrackTap(capacity: 1 << 16)
    let count: Int64 = 200_000
    let writer = Thread { [payload = [UInt8](repeating: 0xAB, count: 700)] in
      var number: Int64 = 0
      payload.withUnsafeBytes { bytes in
        while number < count {
          let length = UInt16(number % 700)
          if tap.ring.write(
            .init(sequence: number, arrival: number, length: length, kind: 1, format: 0), bytes.baseAddress)
          {
            number += 1
          }
        }
      }
    }
    writer.start()
    var expected: Int64 = 0
    var isWhole = true
    while expected < count && isWhole {
      _ = tap.read { record, bytes in
        guard case .packet(let sequence, _, _, _, let arrival, _) = record else {
          isWhole = false
          return
        }
        isWhole =
          sequence == expected && arrival.microseconds == expected && bytes.count == Int(expected % 700)
          && bytes.allSatisfy { $0 == 0xAB }
        expected += 1
      }
    }
    #expect(isWhole)
    #expect(expected == count)
  }
}
