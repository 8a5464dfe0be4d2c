import RoomRTP
import Testing

@Suite struct ReceiveStatisticsTests {
  private func feed(_ statistics: inout ReceiveStatistics, _ sequences: [UInt16]) {
    for sequence in sequences {
      statistics.receive(sequenceNumber: sequence, timestamp: 0, payloadLength: 10, now: at(milliseconds: 0))
    }
  }

  @Test("the fraction lost covers the time since the last report, the total the time since the start")
  func losses() {
    var statistics = ReceiveStatistics(clockRate: 90_000)
    feed(&statistics, [65534, 65535, 1, 2])
    let first = statistics.reportBlock(ssrc: 5, now: at(milliseconds: 0))
    #expect(first.ssrc == 5)
    #expect(first.fractionLost == 51)
    #expect(first.cumulativeLost == 1)
    #expect(first.highestSequence == 0x1_0002)
    feed(&statistics, [3, 4, 5, 6])
    let second = statistics.reportBlock(ssrc: 5, now: at(milliseconds: 0))
    #expect(second.fractionLost == 0)
    #expect(second.cumulativeLost == 1)
    #expect(statistics.byteCount == 80)
  }

  @Test("duplicates make the loss negative and the fraction zero")
  func duplicates() {
    var statistics = ReceiveStatistics(clockRate: 90_000)
    feed(&statistics, [1, 1, 1, 2])
    let block = statistics.reportBlock(ssrc: 1, now: at(milliseconds: 0))
    #expect(block.cumulativeLost == -2)
    #expect(block.fractionLost == 0)
  }

  @Test("an even stream has no jitter, an uneven one the jitter of RFC 3550")
  func jitter() {
    var even = ReceiveStatistics(clockRate: 48_000)
    var uneven = ReceiveStatistics(clockRate: 48_000)
    for index in 0..<500 {
      let timestamp = UInt32(truncatingIfNeeded: 0xffff_f000 + 960 * index)
      let time = Int64(20 * index)
      even.receive(sequenceNumber: UInt16(index), timestamp: timestamp, payloadLength: 1, now: at(milliseconds: time))
      let late = index % 2 == 0 ? 0 : 10
      uneven.receive(
        sequenceNumber: UInt16(index), timestamp: timestamp, payloadLength: 1, now: at(milliseconds: time + Int64(late)))
    }
    #expect(even.jitter == 0)
    #expect(abs(uneven.jitterMicroseconds - 10_000) < 300)
    #expect(abs(Int(uneven.jitter) - 480) < 15)
  }

  @Test("LSR and DLSR give the sender the round trip")
  func roundTrip() throws {
    var sender = SendStatistics(ssrc: 9, clockRate: 90_000)
    sender.send(timestamp: 1000, payloadLength: 100, now: at(milliseconds: 0))
    let sent = at(milliseconds: 500)
    let information = try #require(sender.report(now: sent, ntpTime: NTPTime(sent)))
    #expect(information.rtpTimestamp == 46_000)
    #expect(information.packetCount == 1 && information.octetCount == 100)

    var receiver = ReceiveStatistics(clockRate: 90_000)
    feed(&receiver, [1, 2])
    receiver.receive(information, now: at(milliseconds: 7_030))
    let block = receiver.reportBlock(ssrc: 9, now: at(milliseconds: 7_230))
    sender.receive(block, ntpTime: NTPTime(at(milliseconds: 760)))
    let time = try #require(sender.roundTrip)
    #expect(abs(time - 60_000) < 100)
    sender.receive(ReportBlock(ssrc: 8, fractionLost: 99), ntpTime: NTPTime(at(milliseconds: 760)))
    #expect(sender.lastBlock == block)
  }

  @Test("there is no round trip before a sender report or from implausible values")
  func noRoundTrip() {
    #expect(RoundTripTime.microseconds(of: ReportBlock(ssrc: 1), now: NTPTime(at(milliseconds: 5))) == nil)
    let future = ReportBlock(ssrc: 1, lastSenderReport: NTPTime(at(milliseconds: 60_000)).compact)
    #expect(RoundTripTime.microseconds(of: future, now: NTPTime(at(milliseconds: 50_000))) == nil)
  }

  @Test("a jump is a stray unless more packets follow")
  func restart() {
    var statistics = ReceiveStatistics(clockRate: 90_000)
    feed(&statistics, [10, 11, 40_000, 12])
    #expect(statistics.extendedHighest == 12)
    #expect(statistics.lost == 0)
    feed(&statistics, [40_001, 40_002, 40_003, 40_004])
    #expect(statistics.extendedHighest == 40_004)
    #expect(statistics.lost == 0)
  }

  @Test("NTP time keeps microseconds and the epoch of 1900")
  func ntp() {
    #expect(abs(NTPTime(Instant(microseconds: 1_234_567)).microseconds - 1_234_567) <= 1)
    #expect(NTPTime(unixMicroseconds: 0).rawValue >> 32 == 2_208_988_800)
    #expect(NTPTime(rawValue: 0x0001_0002_0003_0004).compact == 0x0002_0003)
  }

  @Test("a stream writes the NACK for its missing packets")
  func streamRequests() {
    var stream = ReceiveStream(ssrc: 77, clockRate: 90_000)
    _ = stream.receive(header(1, ssrc: 77), now: at(milliseconds: 0))
    _ = stream.receive(header(4, ssrc: 77), now: at(milliseconds: 1))
    var count = 0
    let bytes = RTCPWriter.compound { count = stream.writeRequests(to: &$0, sender: 5, now: at(milliseconds: 10)) }
    #expect(count == 2)
    bytes.read { raw in
      var reader = RTCPReader(raw)
      guard case .nack(let nack)? = reader.next() else {
        Issue.record("no NACK")
        return
      }
      #expect(nack.sender == 5 && nack.media == 77 && Array(nack) == [2, 3])
    }
    let repaired = stream.receiveRepaired(2, now: at(milliseconds: 20))
    #expect(repaired == .filledGap)
    #expect(stream.statistics.lost == 2)
    #expect(stream.losses.missingCount == 1)
  }
}
