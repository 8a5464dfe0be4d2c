import RoomCodecs
import RoomPush
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomRelay
@testable import RoomSFU

@Suite("A transcoded forward to a slow receiver")
struct SlowReceiverTests {
  /// A VP8 publisher of noise, its forward, and the queue in front of a receiver, in virtual time.
  private final class Stage {
    private let anchor: Anchor
    private let program: ForwardProgram
    private let broadcast: Broadcast
    private(set) var queue: SendQueue
    private var now: Int64 = 5_000_000
    private var noise: UInt64 = 1
    /// Bits that the receiver still accepts now.
    private var credit = 0.0
    /// What was produced in each second.
    private(set) var seconds: [(kbps: Int, pictures: Int)] = []

    init() throws {
      anchor = try Anchor(.vp8, size: (320, 180), bitrate: 1_000_000)
      program = ForwardProgram(
        carriesAudio: false, carriesVideo: true,
        settings: .init(transcodeBitrate: 600_000, transcodeLeastBitrate: 150_000), now: Instant(microseconds: now))
      program.setVideo(TrackReader(anchor.video, participant: SharedClock()), now: Instant(microseconds: now))
      broadcast = try Broadcast()
      queue = SendQueue()
      broadcast.begin(ProgramID(1), hasAudio: false, hasVideo: true, now: Instant(microseconds: now))
    }

    /// Runs for a number of seconds in which the receiver accepts this rate.
    func run(_ count: Int, kbps: Double) throws {
      for _ in 0..<count {
        var (bytes, pictures) = (0, 0)
        for millisecond in 1...1000 {
          now += 1000
          if millisecond % 40 == 0 {
            try anchor.sendPicture(at: now, lag: 0) { _ in
              noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
              return 64 + UInt8(truncatingIfNeeded: noise >> 57)
            }
          }
          guard millisecond % 5 == 0 else { continue }
          let moment = Instant(microseconds: now)
          program.advance(to: moment) { output in
            if case .picture(let picture) = output { broadcast.take(picture, from: ProgramID(1), now: moment) }
          }
          broadcast.advance(to: moment)
          while let output = broadcast.next() {
            guard case .media(let message) = output else { continue }
            bytes += message.payload.count
            if message.kind == .video { pictures += 1 }
            let needed = queue.needsKeyFrame
            queue.append(message)
            if queue.needsKeyFrame, !needed { program.wantKeyFrame(after: nil) { _ in } }
          }
          credit = min(credit + kbps * 5, kbps * 100)
          while credit > 0, let message = queue.next() { credit -= Double(message.payload.count * 8) }
        }
        seconds.append((bytes * 8 / 1000, pictures))
        program.uplinkReported(queued: queue.duration, dropped: queue.counters.droppedFrames)
      }
    }

    /// The mean rate of the last seconds.
    func kbps(last count: Int) -> Int { seconds.suffix(count).map(\.kbps).reduce(0, +) / count }
  }

  @Test("its bitrate falls to what the receiver accepts at once, so that pictures are lost once at most, and returns in full")
  func steps() throws {
    let stage = try Stage()
    try stage.run(6, kbps: 5000)
    #expect((450...700).contains(stage.kbps(last: 4)), "\(stage.seconds)")
    try stage.run(25, kbps: 300)
    #expect((150...320).contains(stage.kbps(last: 15)), "\(stage.seconds)")
    // The queue reaches its limit while the encoder follows the first steps down, and not again.
    #expect(stage.queue.counters.drops <= 1, "\(stage.queue.counters) in \(stage.seconds)")
    #expect(stage.seconds.dropFirst().allSatisfy { $0.pictures >= 24 }, "\(stage.seconds)")
    try stage.run(45, kbps: 5000)
    #expect((450...700).contains(stage.kbps(last: 5)), "\(stage.seconds)")
    #expect(stage.queue.duration < 100)
  }
}
