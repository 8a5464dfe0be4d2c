import RoomCodecs
import RoomPush
import RoomRTP
import Testing

@testable import RoomRelay

@Suite("Adaptation of a mix")
struct MixStepsTests {
  @Test("a weak uplink reduces the bitrate to its minimum, then the frame rate to 10; on recovery the frame rate returns first")
  func uplink() {
    var steps = UplinkSteps(bitrate: 1_500_000, least: 500_000, fps: 24)
    var seen: [(bitrate: Int, fps: Int)] = []
    var dropped: UInt64 = 0
    for _ in 0..<12 {
      dropped += 5
      steps.uplinkReported(queued: 1500, dropped: dropped)
      seen.append((steps.bitrate, steps.fps))
    }
    #expect(seen.last?.bitrate == 500_000 && seen.last?.fps == 10)
    // The frame rate drops only when the bitrate is at its minimum.
    #expect(seen.allSatisfy { $0.fps == 24 || $0.bitrate == 500_000 })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.bitrate <= $0.bitrate && $1.fps <= $0.fps })
    seen = []
    for _ in 0..<120 {
      steps.uplinkReported(queued: 40, dropped: dropped)
      seen.append((steps.bitrate, steps.fps))
    }
    #expect(seen.last?.bitrate == 1_500_000 && seen.last?.fps == 24)
    #expect(seen.allSatisfy { $0.bitrate == 500_000 || $0.fps == 24 })
    // Not at once: a link that was congested recently is given time.
    #expect(seen[4].fps == 10)
  }

  @Test("a queue of medium length changes nothing")
  func steady() {
    var steps = UplinkSteps(bitrate: 1_500_000, least: 500_000, fps: 24)
    for _ in 0..<100 { steps.uplinkReported(queued: 500, dropped: 0) }
    #expect(steps.bitrate == 1_500_000 && steps.fps == 24)
  }

  @Test("the frame rate drops if the machine does not keep up, and recovers when it does")
  func machine() {
    var rate = FrameRate(30)
    var now = Instant(microseconds: 0)
    func run(seconds: Int, isLate: Bool, busy: Int64) {
      for _ in 0..<seconds * rate.fps {
        now = now.advanced(microseconds: Int64(1_000_000 / rate.fps))
        rate.made(isLate: isLate, busy: busy, now: now)
      }
    }
    run(seconds: 5, isLate: true, busy: 40_000)
    #expect(rate.fps < 30 && rate.fps >= 15)
    run(seconds: 60, isLate: true, busy: 40_000)
    #expect(rate.fps == 10)
    // No longer late, but each frame costs too much CPU for a higher rate.
    run(seconds: 60, isLate: false, busy: 60_000)
    #expect(rate.fps == 10)
    run(seconds: 200, isLate: false, busy: 5_000)
    #expect(rate.fps == 30)
  }

  @Test("a mix on a machine that stalls for a while continues in real time, with fewer frames and all of its audio")
  func stalls() throws {
    let program = try MergeProgram(
      picture: MixPicture(width: 64, height: 48, fps: 30, bitrate: 100_000), now: Instant(microseconds: 0))
    var now: Int64 = 10_000_000
    var times: [Int64] = []
    var sound: [Int64] = []
    func advance() {
      program.advance(to: Instant(microseconds: now)) { output in
        switch output {
        case .picture(let picture): times.append(picture.timestamp.microseconds)
        case .sound(_, let position): sound.append(position)
        case .keyFrameNeeded: break
        }
      }
    }
    // Every 150 ms the thread stalls for 150 ms, so each frame is late.
    for _ in 0..<60 {
      now += 150_000
      advance()
    }
    #expect(program.fps < 30)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 > $1 })
    #expect(now - (times.last ?? 0) < 400_000)
    #expect(zip(sound.dropFirst(), sound).allSatisfy { $0 == $1 + 480 })
    // A stall of 2 s is not caught up frame by frame.
    let before = times.count
    now += 2_000_000
    advance()
    #expect(times.count - before < 12)
    #expect(program.counters.skipped > 0)
  }

  @Test("a mix that does not fit is rejected with the figures, and measurements replace the estimate")
  func budget() throws {
    let decoding = DecodingCounters()
    let budget = MixBudget(limit: 0.5, decoding: decoding)
    let picture = MixPicture(width: 1280, height: 720, fps: 30, bitrate: 2_000_000)
    var shares: [MixBudget.Share] = []
    var refusal: MixBudget.Refusal?
    while refusal == nil, shares.count < 100 {
      do throws(MixBudget.Refusal) { shares.append(try budget.reserve(picture, sources: 2)) } catch { refusal = error }
    }
    let refused = try #require(refusal)
    #expect((1...10).contains(shares.count))
    #expect(refused.used + refused.needed > 0.5 && refused.limit == 0.5)
    #expect(refused.description.contains("0.50"))
    #expect(budget.snapshot.refused == 1)
    // They turn out to be cheap, so there is room for more.
    for _ in 0..<50 { for share in shares { share.measured(0.02) } }
    #expect(throws: Never.self) { shares.append(try budget.reserve(picture, sources: 2)) }
    for share in shares { share.release() }
    #expect(budget.snapshot.mixes == 0 && budget.snapshot.used == 0)
  }
}
