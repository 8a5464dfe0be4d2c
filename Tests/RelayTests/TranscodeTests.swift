import RoomCodecs
import RoomRTP
import Testing

@testable import RoomRelay
@testable import RoomSFU

@Suite("Video transcoded for a broadcast")
struct TranscodeTests {
  /// A track in virtual time.
  private struct Track {
    var pace: TranscodePace
    private var now: Int64 = 1_000_000

    init(_ settings: ForwardProgram.Settings = .init()) { pace = TranscodePace(settings) }

    /// Sends pictures of this size and rate. Returns the number that were encoded.
    mutating func run(_ seconds: Int, _ width: Int = 720, _ height: Int = 1280, fps: Int) -> Int {
      (0..<seconds * fps).count { _ in
        now += Int64(1_000_000 / fps)
        return pace.takes(width: width, height: height, at: MediaTime(microseconds: now))
      }
    }

    /// Reports a congested or an uncongested uplink for some seconds.
    mutating func hear(_ seconds: Int, isWeak: Bool) {
      for _ in 0..<seconds { pace.uplinkReported(queued: isWeak ? 1500 : 40, dropped: 0) }
    }
  }

  @Test("the bitrate follows size and frame rate, as for mixes, within bounds")
  func bits() {
    var track = Track()
    #expect(track.run(5, fps: 24) == 120)
    #expect(
      track.pace.encoder == VideoEncoderSettings(width: 720, height: 1280, fps: 24, bitrate: 1_548_288, keyFrameInterval: 48))
    #expect(track.run(5, fps: 15) == 75)
    #expect(
      track.pace.encoder == VideoEncoderSettings(width: 720, height: 1280, fps: 15, bitrate: 967_680, keyFrameInterval: 30))
    _ = track.run(1, 320, 180, fps: 15)
    #expect(track.pace.bitrate == 100_000)
    _ = track.run(5, 3840, 2160, fps: 30)
    #expect(track.pace.bitrate == 17_418_240)
    #expect(MixPicture.defaultBitrate(width: 720, height: 1280, fps: 24) == 1_548_288)
  }

  @Test("settings apply: a bitrate for every size, and a maximum frame rate")
  func set() {
    var track = Track(.init(transcodeBitrate: 800_000, transcodeLeastBitrate: 700_000, transcodeFPS: 20))
    #expect(track.run(10, 1920, 1080, fps: 60) < 60 * 2 + 8 * 21)
    #expect((99...101).contains(track.run(5, 1920, 1080, fps: 60)))
    #expect(track.pace.bitrate == 800_000 && track.pace.fps == 20)
    track.hear(1, isWeak: true)
    #expect(track.pace.bitrate == 700_000)
  }

  @Test("a weak uplink reduces the bitrate to a third, then the frame rate to 10; on recovery the frame rate returns first")
  func uplink() {
    var track = Track()
    _ = track.run(3, fps: 30)
    let most = track.pace.bitrate
    track.hear(3, isWeak: true)
    #expect(track.pace.bitrate < most / 2 && track.pace.fps == 30)
    #expect(track.run(2, fps: 30) == 60)
    track.hear(10, isWeak: true)
    #expect(track.pace.bitrate == most / 3 && track.pace.fps == 10)
    #expect((49...51).contains(track.run(5, fps: 30)))
    // A change of size does not improve the uplink.
    _ = track.run(1, 360, 640, fps: 30)
    #expect(track.pace.fps == 10 && track.pace.bitrate < 360 * 640 * 30 * 7 / 100 / 2)
    _ = track.run(1, fps: 30)
    track.hear(30, isWeak: false)
    #expect(track.pace.fps == 30)
    track.hear(100, isWeak: false)
    #expect(track.pace.bitrate == most)
    #expect(track.run(2, fps: 30) == 60)
  }

  @Test("a track of 8 pictures per second loses none on a weak uplink")
  func slow() {
    var track = Track()
    _ = track.run(6, fps: 8)
    track.hear(20, isWeak: true)
    #expect(track.run(5, fps: 8) == 40)
  }

  /// Returns the number of pictures in each second of a program that receives a report on its uplink once a second.
  private func pictures(of format: PayloadFormat, weak: Range<Int64>, seconds: Int64) throws -> [Int] {
    let anchor = try Anchor(format)
    var now: Int64 = 5_000_000
    let program = ForwardProgram(carriesAudio: false, carriesVideo: true, now: Instant(microseconds: now))
    program.setVideo(TrackReader(anchor.video, participant: SharedClock()), now: Instant(microseconds: now))
    let decoder = try H264Decoder()
    var counts: [Int] = []
    for second in 0..<seconds {
      program.uplinkReported(queued: weak.contains(second) ? 1500 : 40, dropped: 0)
      var count = 0
      for millisecond in Int64(0)..<1000 {
        now += 1000
        if millisecond % 40 == 0 { try anchor.sendPicture(100, at: now, lag: 0) }
        guard millisecond % 5 == 0 else { continue }
        program.advance(to: Instant(microseconds: now)) { output in
          guard case .picture(let picture) = output else { return }
          if let frame = try? decoder.decode(picture.data, timestamp: picture.timestamp), frame.width == 64 { count += 1 }
        }
      }
      counts.append(count)
    }
    return counts
  }

  @Test("a transcoded forward slows down on a weak uplink, stays decodable, and recovers")
  func forward() throws {
    let counts = try pictures(of: .vp8, weak: 3..<18, seconds: 60)
    #expect(counts[1...2].allSatisfy { $0 >= 24 })
    #expect(counts[14...17].allSatisfy { (9...11).contains($0) }, "\(counts)")
    #expect(counts[55...].allSatisfy { $0 >= 24 }, "\(counts)")
  }

  @Test("H.264 passes through completely, however weak the uplink")
  func untouched() throws {
    #expect(try pictures(of: .h264, weak: 1..<20, seconds: 20)[2...].allSatisfy { $0 >= 24 })
  }
}
