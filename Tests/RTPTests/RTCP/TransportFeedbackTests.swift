import RoomRTP
import RoomTestSupport
import Testing

private func statuses(_ bytes: [UInt8]) -> [TransportFeedback.Status]? {
  bytes.read { raw in
    var reader = RTCPReader(raw)
    guard case .transportFeedback(let feedback)? = reader.next() else { return nil }
    return Array(feedback)
  }
}

/// Returns all pending feedback packets of the recorder, each as one compound.
private func flush(_ recorder: inout TransportFeedbackRecorder, capacity: Int = 1200) -> [[UInt8]] {
  var packets: [[UInt8]] = []
  while true {
    var count = 0
    let bytes = RTCPWriter.compound(capacity: capacity) { count = recorder.writeFeedback(to: &$0, sender: 1, media: 2) }
    guard count > 0 else { return packets }
    packets.append(bytes)
  }
}

@Suite struct TransportFeedbackTests {
  @Test("a packet in the draft's layout is parsed: run, both vectors, small, large and negative deltas")
  func handWritten() throws {
    // Base 65534, 24 statuses: run of 3 received (small), 14 one-bit, 7 two-bit.
    let body: [UInt8] = [
      0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xfe, 0, 24, 0, 0, 2, 9,
      0x20, 3,  // run: 3 × small
      0xa0, 0x01,  // one-bit: the first and the last of 14
      0xd8, 0x00,  // two-bit: small, large, 5 × none
      4, 0, 255, 1, 2, 8, 0xff, 0xfc, 0, 0,
    ]
    let bytes: [UInt8] = [0x8f, 205, 0, UInt8(body.count / 4)] + body
    let found = try #require(statuses(bytes))
    #expect(found.count == 24)
    #expect(found.map(\.sequenceNumber).prefix(4) == [65534, 65535, 0, 1])
    let arrived = found.enumerated().filter { $0.element.arrival != nil }
    #expect(arrived.map(\.offset) == [0, 1, 2, 3, 16, 17, 18])
    let base: Int64 = 2 * 64_000
    #expect(
      arrived.compactMap(\.element.arrival)
        == [base + 1000, base + 1000, base + 64_750, base + 65_000, base + 65_500, base + 67_500, base + 66_500])
  }

  @Test("truncated chunks or deltas are rejected")
  func truncated() {
    let header: [UInt8] = [0x8f, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 200, 0, 0, 9, 0]
    #expect(statuses(header + [0x20, 10, 0x20, 10]) == nil)
    #expect(statuses(header + [0x20, 200, 1, 1]) == nil)
    #expect(statuses(header + [0, 0, 0, 0]) == nil)
    let tooMany: [UInt8] = [0x8f, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0xff, 0xff, 0, 0, 9, 0, 0x1f, 0xff, 0x1f, 0xff]
    #expect(statuses(tooMany) == nil)
  }

  @Test("recorded arrivals are reported with a precision of 250 µs", arguments: 0..<20 as Range<UInt64>)
  func recorded(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var recorder = TransportFeedbackRecorder()
    var expected: [UInt16: Int64] = [:]
    var told: [UInt16: Int64] = [:]
    var time: Int64 = 3_600_000_000 * Int64(seed)
    var sequence: UInt16 = 65_000
    let loss = [0, 0.05, 0.5, 0.95][Int(seed % 4)]
    for _ in 0..<30 {
      for _ in 0..<Int.random(in: 1...120, using: &random) {
        time += Int64.random(in: 0...(seed % 3 == 0 ? 200_000 : 3_000), using: &random)
        if !random.chance(loss) {
          recorder.record(sequence, arrival: Instant(microseconds: time))
          expected[sequence] = time
        }
        sequence &+= 1
      }
      for packet in flush(&recorder) {
        #expect(packet.count % 4 == 0)
        for status in try #require(statuses(packet)) {
          if let arrival = status.arrival { told[status.sequenceNumber] = arrival }
        }
      }
    }
    #expect(recorder.pendingCount == 0)
    #expect(told.count == expected.count)
    // The receiver's clock is reported modulo 2²⁴ · 64 ms.
    let modulus: Int64 = (1 << 24) * 64_000
    for (sequence, time) in expected {
      let arrival = try #require(told[sequence])
      let difference = ((time - arrival) % modulus + modulus) % modulus
      #expect(difference < 500 || difference > modulus - 500)
    }
  }

  @Test("reordered packets have negative deltas, and a packet reported lost is reported again")
  func reordered() throws {
    var recorder = TransportFeedbackRecorder()
    recorder.record(10, arrival: at(milliseconds: 100))
    recorder.record(12, arrival: at(milliseconds: 101))
    recorder.record(11, arrival: at(milliseconds: 103))
    recorder.record(14, arrival: at(milliseconds: 104))
    let first = try #require(flush(&recorder).first.flatMap(statuses))
    #expect(first.map(\.sequenceNumber) == [10, 11, 12, 13, 14])
    #expect(first.map { $0.arrival } == [100_000, 103_000, 101_000, nil, 104_000])
    #expect(flush(&recorder).isEmpty)
    recorder.record(13, arrival: at(milliseconds: 160))
    let second = try #require(flush(&recorder).first.flatMap(statuses))
    #expect(second.map(\.sequenceNumber) == [13, 14])
    #expect(second.map { $0.arrival } == [160_000, 104_000])
  }

  @Test("a duplicate keeps the first arrival")
  func duplicate() throws {
    var recorder = TransportFeedbackRecorder()
    recorder.record(1, arrival: at(milliseconds: 5))
    recorder.record(1, arrival: at(milliseconds: 50))
    #expect(try #require(flush(&recorder).first.flatMap(statuses)).map { $0.arrival } == [5_000])
  }

  @Test("with little room the next packet reports the rest and continues the count")
  func littleRoom() throws {
    var recorder = TransportFeedbackRecorder()
    for sequence in UInt16(0)..<300 { recorder.record(sequence, arrival: at(milliseconds: Int64(sequence) * 100)) }
    let packets = flush(&recorder, capacity: 100)
    #expect(packets.count > 3)
    #expect(packets.allSatisfy { $0.count <= 100 })
    #expect(packets.map { $0[19] } == (0..<UInt8(packets.count)).map { $0 })
    #expect(packets.compactMap(statuses).flatMap { $0 }.map(\.sequenceNumber) == Array(0..<300))
  }

  @Test("a pause longer than a delta starts a new packet")
  func longPause() throws {
    var recorder = TransportFeedbackRecorder()
    recorder.record(1, arrival: at(milliseconds: 0))
    recorder.record(2, arrival: at(milliseconds: 20_000))
    let packets = flush(&recorder)
    #expect(packets.count == 2)
    #expect(packets.compactMap(statuses).flatMap { $0 }.compactMap(\.arrival) == [0, 20_000_000])
  }

  @Test("a jump in the numbering does not fill feedback with losses")
  func jump() throws {
    var recorder = TransportFeedbackRecorder()
    recorder.record(1, arrival: at(milliseconds: 0))
    recorder.record(20_000, arrival: at(milliseconds: 1))
    let found = flush(&recorder).compactMap(statuses).flatMap { $0 }
    #expect(found.map(\.sequenceNumber) == [20_000])
  }
}
