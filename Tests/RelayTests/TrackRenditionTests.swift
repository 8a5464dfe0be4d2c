import RoomCodecs
import RoomRTP
import Testing

@testable import RoomRelay
@testable import RoomSFU

@Suite("A track in another codec")
struct TrackRenditionTests {
  /// What a rendition sends, as its subscribers receive it.
  private struct Output {
    var frames: [EncodedFrame] = []
    var reports: [(NTPTime, UInt32)] = []
  }

  /// Sends `count` pictures, and reads the rendition after each.
  private func run(
    _ anchor: Anchor, _ rendition: TrackRendition, _ injection: TrackInjection, in format: PayloadFormat, count: Int,
    each: (Int) -> Void = { _ in }
  ) throws -> Output {
    var output = Output()
    var buffer = JitterBuffer(format: format)
    for number in 0..<count {
      let time = Int64(number) * 40_000
      try anchor.sendPicture(UInt8(40 + number), at: time, lag: 5_000)
      if number % 25 == 0 { anchor.report(at: time) }
      each(number)
      let now = Instant(microseconds: time + 10_000)
      try rendition.pump(now: now) { anchor.wantsKeyFrame = true }
      while injection.ring.read({ head, payload in
        guard head.kind == InjectedRecord.packet else {
          output.reports.append((NTPTime(rawValue: head.time), head.timestamp))
          return
        }
        var header = RTPHeader()
        header.sequenceNumber = UInt16(truncatingIfNeeded: head.sequence)
        header.timestamp = head.timestamp
        header.marker = head.format & InjectedRecord.marker != 0
        header.payloadLength = payload.count
        buffer.insert(header, payload: payload, now: now)
      }) {}
      while let next = buffer.next(now: now) {
        if case .frame(let frame) = next { output.frames.append(frame) }
      }
    }
    return output
  }

  @Test(
    "each picture is sent in the other codec, at the time of the track, and decodes",
    arguments: [(PayloadFormat.h264, TrackRendition.Codec.vp8), (.vp8, .h264)])
  func transcodes(from: PayloadFormat, to codec: TrackRendition.Codec) throws {
    let anchor = try Anchor(from)
    let injection = TrackInjection(isVideo: true, wakeup: try Wakeup())
    let rendition = TrackRendition(of: anchor.video, in: codec, into: injection, budget: MixBudget(limit: 4, decoding: .init()))
    let format: PayloadFormat = codec == .vp8 ? .vp8 : .h264
    let output = try run(anchor, rendition, injection, in: format, count: 50) { number in
      // A subscriber joins.
      if number == 30 { injection.keyFrameIsWanted() }
    }
    #expect(output.frames.count == 50)
    #expect(output.frames.map(\.timestamp) == (0..<50).map { UInt32($0 * 3600) })
    #expect(output.frames.first?.isKeyFrame == true && output.frames[30].isKeyFrame)
    #expect(output.reports.count == 2)
    for (ntp, timestamp) in output.reports {
      #expect(ntp == NTPTime(unixMicroseconds: anchor.wall + Int64(timestamp) * 100 / 9))
    }
    let decoder = try format.makeVideoDecoder()
    for (number, frame) in output.frames.enumerated() {
      let picture = try #require(try decoder.decode(frame.data, timestamp: MediaTime(microseconds: Int64(number) * 40_000)))
      let brightness = picture.withPlanes { Int($0.y[0]) }
      #expect(abs(brightness - (40 + number)) < 12, "picture \(number): \(brightness)")
    }
  }

  @Test("lost packets cost pictures up to the next key frame, which is asked for")
  func loss() throws {
    let anchor = try Anchor(.h264)
    let injection = TrackInjection(isVideo: true, wakeup: try Wakeup())
    let rendition = TrackRendition(of: anchor.video, in: .vp8, into: injection, budget: MixBudget(limit: 4, decoding: .init()))
    let output = try run(anchor, rendition, injection, in: .vp8, count: 60) { number in
      if number == 20 { anchor.sendGarbage([0x65, 1, 2, 3], at: 800_001) }
    }
    #expect(output.frames.count > 50 && output.frames.last?.timestamp == 59 * 3600)
  }

  @Test("a rendition beyond the budget fails with the reason, and ends with its track")
  func budget() throws {
    let anchor = try Anchor(.h264, size: (640, 480), bitrate: 800_000)
    let injection = TrackInjection(isVideo: true, wakeup: try Wakeup())
    let budget = MixBudget(limit: 0.001, decoding: .init())
    let rendition = TrackRendition(of: anchor.video, in: .vp8, into: injection, budget: budget)
    #expect(throws: VideoTranscoder.Failure.self) {
      _ = try run(anchor, rendition, injection, in: .vp8, count: 3)
    }
    let other = try Anchor(.h264)
    let ending = TrackRendition(of: other.video, in: .vp8, into: injection, budget: MixBudget(limit: 4, decoding: .init()))
    other.end()
    try ending.pump(now: Instant(microseconds: 1)) {}
    #expect(ending.isOver)
  }
}
