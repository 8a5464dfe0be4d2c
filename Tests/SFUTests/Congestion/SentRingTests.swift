import RoomRTP
import Testing

@testable import RoomSFU

@Suite("packets sent to a path")
struct SentRingTests {
  private static let start = Instant(microseconds: 1_000_000_000)

  /// Returns the outcomes that feedback about these packets, all of which arrived, has for the ring.
  private func outcomes(_ ring: SentRing, of numbers: Range<UInt16>, at now: Instant) -> [PacketOutcome] {
    var recorder = TransportFeedbackRecorder()
    for number in numbers { recorder.record(number, arrival: now) }
    var outcomes: [PacketOutcome] = []
    while recorder.pendingCount > 0 {
      let bytes = RTCPWriter.compound { writer in _ = recorder.writeFeedback(to: &writer, sender: 1, media: 2) }
      bytes.withUnsafeBytes { bytes in
        var reader = RTCPReader(bytes)
        while case .transportFeedback(let feedback)? = reader.next() {
          ring.take(feedback, probe: 0, now: now) { outcomes.append($0) }
        }
      }
    }
    return outcomes
  }

  @Test("each packet's outcome is taken once, with its size and time")
  func once() {
    var ring = SentRing()
    defer { ring.free() }
    for number in 0..<10 as Range<UInt16> {
      ring.record(number, size: 100 + Int(number), probe: 0, at: Self.start.advanced(milliseconds: Int64(number)))
    }
    let now = Self.start.advanced(milliseconds: 50)
    let taken = outcomes(ring, of: 0..<10, at: now)
    #expect(taken.map(\.size) == Array(100..<110))
    #expect(taken.enumerated().allSatisfy { abs($1.sent - Self.start.advanced(milliseconds: Int64($0))) < 32 })
    #expect(outcomes(ring, of: 0..<10, at: now).isEmpty)
  }

  @Test("a ring whose feedback comes late grows, up to a bound, and then has all packets that it kept")
  func grows() {
    var ring = SentRing()
    defer { ring.free() }
    var next: UInt16 = 65_000
    for _ in 0..<8 {
      for _ in 0..<300 {
        ring.record(next, size: 500, probe: 0, at: Self.start)
        next &+= 1
      }
      ring.growIfTooSmall()
    }
    #expect(ring.capacity == SentRing.longestCapacity)
    #expect(outcomes(ring, of: next - 1000..<next, at: Self.start).count == 1000)
  }

  @Test("a ring whose feedback comes in time stays small")
  func staysSmall() {
    var ring = SentRing()
    defer { ring.free() }
    for round in 0..<20 as Range<UInt16> {
      let numbers = round * 100..<(round + 1) * 100
      for number in numbers { ring.record(number, size: 500, probe: 0, at: Self.start) }
      #expect(outcomes(ring, of: numbers, at: Self.start).count == 100)
      ring.growIfTooSmall()
    }
    #expect(ring.capacity == SentRing.firstCapacity)
  }
}
