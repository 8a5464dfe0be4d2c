import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: sender reports")
struct SenderReportTests {
  @Test("a subscriber's reports are on the publisher's clock to the microsecond, and count what was sent")
  func publishersClock() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    let ntp = NTPTime(Instant(microseconds: 5_000_000_000))
    alice.sendRTCP { writer in
      writer.senderReport(
        SenderInformation(ssrc: 1111, ntpTime: ntp, rtpTimestamp: 4_294_900_000, packetCount: 1, octetCount: 1))
    }
    let arrival = network.now.advanced(microseconds: VirtualNetwork.delay)
    for number in 0..<200 as Range<UInt16> {
      alice.sendFrame(number, isKey: number == 0)
      network.run(milliseconds: 33)
    }
    let reports = bob.senderReports
    #expect((5...9).contains(reports.count), "one a second, give or take a fifth")
    for (at, report) in reports {
      #expect(report.ssrc == 9001)
      let elapsed = at - arrival - VirtualNetwork.delay
      #expect(abs(report.ntpTime.microseconds - 5_000_000_000 - elapsed) <= 1)
      #expect(report.rtpTimestamp == 4_294_900_000 &+ UInt32(elapsed * 90_000 / 1_000_000))
      let sent = bob.packets.filter { $0.at <= at }
      #expect(Int(report.packetCount) == sent.count)
      #expect(Int(report.octetCount) == sent.reduce(0) { $0 + $1.packet.payload.count })
    }
  }

  @Test("without reports from the publisher, a subscriber's begin after 2 s and use the wall clock")
  func wallClock() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    let start = network.now
    for number in 0..<150 as Range<UInt16> {
      alice.sendFrame(number, isKey: number == 0)
      network.run(milliseconds: 33)
    }
    let (at, report) = try #require(bob.senderReports.first)
    #expect((2_000_000...3_300_000).contains(at - start))
    let wall = at.microseconds - VirtualNetwork.delay + network.forwarder.wallOffset
    #expect(abs(report.ntpTime.microseconds - NTPTime(unixMicroseconds: wall).microseconds) <= 1)
  }

  @Test("a receiver report gives the network's round trip, without the receiver's delay")
  func roundTrip() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    alice.sendRTCP { writer in
      writer.senderReport(
        SenderInformation(ssrc: 1111, ntpTime: NTPTime(network.now), rtpTimestamp: 0, packetCount: 1, octetCount: 1))
    }
    network.run(milliseconds: 100)
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 1500)
    let (at, report) = try #require(bob.senderReports.last)
    let delay = (network.now - at) * 65_536 / 1_000_000
    bob.sendRTCP { writer in
      writer.receiverReport(ssrc: 1)
      writer.append(
        ReportBlock(
          ssrc: 9001, lastSenderReport: report.ntpTime.compact, delaySinceLastSenderReport: UInt32(delay)))
    }
    network.run(milliseconds: 10)
    let measured = try #require(network.statistics.transports[bob.id]?.roundTripMilliseconds)
    #expect(abs(measured - 20) < 0.05)
  }

  @Test("a publisher's restart leaves no gap in the subscriber's numbers, and its timestamps advance by the time that passed")
  func restart() throws {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    let (alice, bob) = (clients[0], clients[1])
    network.order(
      .publish(MediaTrackID(2), on: alice.id, Parameters.audio(mid: "a", ssrc: nil)),
      .subscribe(
        SubscriptionID(2), to: MediaTrackID(2), on: bob.id, Parameters.audio(mid: "a", ssrc: 9003),
        continues: false))
    network.run(milliseconds: 50)
    for number in 0..<3 as Range<UInt16> {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 51, payload: [1])
      network.run(milliseconds: 20)
    }
    network.run(milliseconds: 480)
    alice.sendRTCP { $0.goodbye(ssrc: 51) }
    alice.sendRTP(payloadType: 111, sequence: 30_000, timestamp: 777, ssrc: 51, payload: [2])
    network.run(milliseconds: 100)
    #expect(bob.numbers(of: 9003) == [0, 1, 2, 3])
    let timestamps = bob.packets.map(\.packet.header.timestamp)
    #expect(zip(timestamps.dropFirst(), timestamps).map { $0 &- $1 } == [960, 960, 24_000], "500 ms at 48 kHz")
  }
}
