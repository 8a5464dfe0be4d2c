import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomMixing

/// A participant in virtual time: its own wall clock, two media clocks, and a network with a queue.
private struct Sender {
  var wallOffset: Int64 = 5_000_000_000
  /// How fast its clocks run, in ppm.
  var drift: Double = 0
  var random = SeededGenerator(seed: 1)

  func local(_ time: Int64) -> Int64 { time + Int64(Double(time) * drift / 1e6) }
  func ntp(_ time: Int64) -> NTPTime { NTPTime(unixMicroseconds: wallOffset + local(time)) }
  func ticks(_ time: Int64, rate: Int64) -> UInt32 {
    UInt32(truncatingIfNeeded: local(time) / 1_000_000 * rate + local(time) % 1_000_000 * rate / 1_000_000 + 4_000_000_000)
  }
  mutating func delay() -> Int64 { 20_000 + Int64.random(in: 0...30_000, using: &random) }
}

@Suite("Track clock")
struct TrackClockTests {
  @Test("audio and video of one participant stay within 2 ms over 8 hours of drift", arguments: [100.0, -100.0])
  func drift(ppm: Double) throws {
    var sender = Sender(drift: ppm)
    var participant = ParticipantClock()
    var audio = TrackClock(rate: 48_000)
    var video = TrackClock(rate: 90_000)
    var worst: Int64 = 0
    var worstLag: Int64 = 0
    for second in 0..<Int64(8 * 3600) {
      let now = second * 1_000_000
      let arrival = Instant(microseconds: now + sender.delay())
      audio.receivePacket(sender.ticks(now, rate: 48_000), arrival: arrival)
      // The camera's frames are 80 ms old when they are sent.
      video.receivePacket(sender.ticks(now - 80_000, rate: 90_000), arrival: arrival)
      participant.receiveReport(sender.ntp(now), now: arrival)
      audio.report(sender.ticks(now, rate: 48_000), at: sender.ntp(now), on: participant, now: arrival)
      video.report(sender.ticks(now, rate: 90_000), at: sender.ntp(now), on: participant, now: arrival)
      guard second > 60 else { continue }
      let heard = try #require(audio.mediaTime(of: sender.ticks(now, rate: 48_000)))
      let seen = try #require(video.mediaTime(of: sender.ticks(now, rate: 90_000)))
      worst = max(worst, abs(heard - seen))
      worstLag = max(worstLag, abs(heard.microseconds - now - 20_000))
    }
    #expect(worst < 2_000)
    #expect(worstLag < 15_000)
  }

  @Test("two participants whose clocks drift apart stay within 40 ms over 8 hours")
  func apart() throws {
    var senders = [Sender(drift: 100), Sender(wallOffset: 77_000_000, drift: -100, random: SeededGenerator(seed: 2))]
    var participants = [ParticipantClock(), ParticipantClock()]
    var clocks = [TrackClock(rate: 48_000), TrackClock(rate: 48_000)]
    var worst: Int64 = 0
    for second in 0..<Int64(8 * 3600) {
      let now = second * 1_000_000
      var times: [MediaTime] = []
      for index in 0..<2 {
        let arrival = Instant(microseconds: now + senders[index].delay())
        let ticks = senders[index].ticks(now, rate: 48_000)
        clocks[index].receivePacket(ticks, arrival: arrival)
        participants[index].receiveReport(senders[index].ntp(now), now: arrival)
        clocks[index].report(ticks, at: senders[index].ntp(now), on: participants[index], now: arrival)
        times.append(try #require(clocks[index].mediaTime(of: ticks)))
      }
      if second > 60 { worst = max(worst, abs(times[0] - times[1])) }
    }
    #expect(worst < 40_000)
  }

  @Test("without any report, frames are placed by the fastest packets")
  func unreported() throws {
    var sender = Sender()
    var clock = TrackClock(rate: 90_000)
    for frame in 0..<Int64(300) {
      let now = frame * 40_000
      clock.receivePacket(sender.ticks(now, rate: 90_000), arrival: Instant(microseconds: now + sender.delay()))
    }
    let time = try #require(clock.mediaTime(of: sender.ticks(12_000_000, rate: 90_000)))
    #expect(abs(time.microseconds - 12_020_000) < 3_000)
    #expect(!clock.isReported)
  }

  @Test("a wrong report changes nothing")
  func lies() throws {
    var sender = Sender()
    var participant = ParticipantClock()
    var clock = TrackClock(rate: 90_000)
    for second in 0..<Int64(30) {
      let now = second * 1_000_000
      let arrival = Instant(microseconds: now + sender.delay())
      clock.receivePacket(sender.ticks(now, rate: 90_000), arrival: arrival)
      participant.receiveReport(sender.ntp(now), now: arrival)
      clock.report(sender.ticks(now, rate: 90_000), at: sender.ntp(now), on: participant, now: arrival)
    }
    let ticks = sender.ticks(30_000_000, rate: 90_000)
    let before = try #require(clock.mediaTime(of: ticks))
    // One stray report by 400 ms, then two by 20 s.
    let now = Instant(microseconds: 30_020_000)
    clock.report(ticks &- 36_000, at: sender.ntp(30_000_000), on: participant, now: now)
    for _ in 0..<2 { clock.report(ticks &- 1_800_000, at: sender.ntp(30_000_000), on: participant, now: now) }
    let after = try #require(clock.mediaTime(of: ticks))
    #expect(abs(before - after) < 1_000)
    // Two reports that agree are accepted.
    for _ in 0..<2 { clock.report(ticks &- 36_000, at: sender.ntp(30_000_000), on: participant, now: now) }
    let moved = try #require(clock.mediaTime(of: ticks))
    #expect(abs(moved - before - 400_000) < 20_000)
  }

  @Test(
    "a microphone that loses samples is followed, however rare its reports",
    arguments: [(0.01, 5), (0.04, 5), (0.06, 5), (0.04, 12), (0.04, 1000)])
  func losing(share: Double, seconds: Int64) throws {
    var sender = Sender()
    var participant = ParticipantClock()
    var clock = TrackClock(rate: 48_000)
    var worst: Int64 = 0
    for packet in 0..<Int64(3000) {
      let now = packet * 20_000
      // This share of each second is never sent, without any sign of it in the timestamps.
      let ticks = sender.ticks(now - Int64(Double(now) * share), rate: 48_000)
      let arrival = Instant(microseconds: now + sender.delay())
      clock.receivePacket(ticks, arrival: arrival)
      if packet % (50 * seconds) == 0 {
        participant.receiveReport(sender.ntp(now), now: arrival)
        clock.report(ticks, at: sender.ntp(now), on: participant, now: arrival)
      }
      worst = max(worst, arrival.mediaTime - (try #require(clock.mediaTime(of: ticks))))
    }
    // A player waits 400 ms.
    #expect(worst < (share < 0.06 ? 400_000 : 500_000))
  }

  @Test("a standing queue shifts a track for as long as it lasts") func queue() throws {
    var sender = Sender()
    var participant = ParticipantClock()
    var clock = TrackClock(rate: 48_000)
    for packet in 0..<Int64(1500) {
      let now = packet * 20_000
      let waits: Int64 = (500..<1000).contains(packet) ? 450_000 : 0
      let arrival = Instant(microseconds: now + sender.delay() + waits)
      let ticks = sender.ticks(now, rate: 48_000)
      clock.receivePacket(ticks, arrival: arrival)
      if packet % 250 == 0 {
        participant.receiveReport(sender.ntp(now), now: arrival)
        clock.report(ticks, at: sender.ntp(now), on: participant, now: arrival)
      }
      let late = arrival.mediaTime - (try #require(clock.mediaTime(of: ticks)))
      // It takes two seconds to detect a standing queue.
      switch packet {
      case 0..<500, 1000..<1500: #expect((-35_000..<60_000).contains(late), "packet \(packet)")
      case 620..<1000: #expect((0..<150_000).contains(late), "packet \(packet)")
      default: #expect(late < 520_000)
      }
    }
  }

  @Test("after a timestamp jump, frames are placed by their arrival")
  func leap() throws {
    var sender = Sender()
    var clock = TrackClock(rate: 90_000)
    for frame in 0..<Int64(50) {
      let now = frame * 40_000
      let leap: UInt32 = frame < 25 ? 0 : 900_000_000
      clock.receivePacket(sender.ticks(now, rate: 90_000) &+ leap, arrival: Instant(microseconds: now + sender.delay()))
    }
    let time = try #require(clock.mediaTime(of: sender.ticks(2_000_000, rate: 90_000) &+ 900_000_000))
    #expect(abs(time.microseconds - 2_020_000) < 10_000)
  }
}
