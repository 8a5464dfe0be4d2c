import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("MediaSession")
struct MediaSessionTests {
  private static let video: Mid = "0"
  private static let audio: Mid = "1"

  private func connected(
    _ link: MediaPair.Link = .init(), seed: UInt64 = 1, bandwidth: PathEstimator.Configuration = .init()
  ) throws -> MediaPair {
    let pair = try MediaPair(link, seed: seed, bandwidth: bandwidth)
    pair.agree(on: [Sample.stream(.h264(), mid: Self.video), Sample.stream(.opus, mid: Self.audio)])
    #expect(pair.connect())
    return pair
  }

  /// Sends `seconds` of 15 fps video, with a key frame first and on request, and of 20 ms audio.
  private func play(_ pair: MediaPair, seconds: Int, frameSize: Int = 4000) -> [Int] {
    var wantsKeyFrame = true
    pair.onKeyFrameRequest = { wantsKeyFrame = true }
    let start = pair.now
    var keyFrames: [Int] = []
    var audio = 0
    for number in 0..<(seconds * 15) {
      let due = start.advanced(microseconds: Int64(number) * 1_000_000 / 15)
      while start.advanced(milliseconds: Int64(audio) * 20) <= due {
        pair.run(until: start.advanced(milliseconds: Int64(audio) * 20))
        pair.send(Sample.opus(audio), mid: Self.audio)
        audio += 1
      }
      pair.run(until: due)
      if wantsKeyFrame { keyFrames.append(number) }
      pair.send(
        Sample.h264(number, isKeyFrame: wantsKeyFrame, size: wantsKeyFrame ? frameSize * 4 : frameSize), mid: Self.video)
      wantsKeyFrame = false
    }
    pair.run(milliseconds: 1500)
    return keyFrames
  }

  @Test("frames are received as they were sent, in order") func framesComeOut() throws {
    let pair = try connected()
    _ = play(pair, seconds: 2)
    let video = try #require(pair.frames[Self.video])
    #expect(video.count == 30)
    for (number, got) in video.enumerated() {
      let sent = Sample.h264(number, isKeyFrame: got.frame.isKeyFrame, size: got.frame.isKeyFrame ? 16_000 : 4000)
      #expect(got.frame.data == sent.data)
    }
    #expect(pair.frames[Self.audio]?.count == 97)
    #expect(pair.frames[Self.audio]?.map(\.frame.data) == (0..<97).map { Sample.opus($0).data })
    let steps = zip(video, video.dropFirst()).map { $1.frame.timestamp &- $0.frame.timestamp }
    #expect(steps.allSatisfy { $0 == 6000 })
  }

  @Test("with 5 % loss in each direction nearly all frames arrive, repaired by RTX", arguments: [1, 2, 3] as [UInt64])
  func repairsLoss(seed: UInt64) throws {
    let pair = try connected(.init(loss: 0.05, delay: 25_000, jitter: 10_000), seed: seed)
    _ = play(pair, seconds: 20)
    let video = try #require(pair.frames[Self.video])
    #expect(video.count >= 285)
    let received = try #require(pair.receiver.statistics().receivers[Self.video])
    let sent = try #require(pair.sender.statistics().senders[Self.video])
    #expect(received.repaired > 20)
    #expect(received.nacks > 20)
    #expect(sent.retransmitted > 20)
    #expect(sent.fractionLost < 0.5)
    // Audio has RTX too.
    #expect((pair.frames[Self.audio]?.count ?? 0) >= 990)
    // No picture freezes for a second.
    let pauses = zip(video, video.dropFirst()).map { $1.at - $0.at }
    #expect((pauses.max() ?? 0) < 1_000_000)
  }

  @Test("reordered packets are restored to order") func reorders() throws {
    let pair = try connected(.init(delay: 20_000, jitter: 15_000))
    _ = play(pair, seconds: 4)
    #expect(pair.frames[Self.video]?.count == 60)
    let timestamps = pair.frames[Self.video]?.map(\.frame.timestamp) ?? []
    #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { Int32(bitPattern: $1 &- $0) > 0 })
  }

  @Test("the receiver requests a key frame for an irreparable picture and continues with it")
  func asksForKeyFrame() throws {
    let pair = try connected()
    _ = play(pair, seconds: 1)
    let before = pair.keyFrameRequests
    let cut = pair.now
    // All large packets, including retransmissions, are dropped for longer than the sender keeps them.
    pair.drops = { [unowned pair] bytes in bytes.count > 300 && pair.now - cut < 3_000_000 }
    let keyFrames = play(pair, seconds: 7)
    #expect(pair.keyFrameRequests > before)
    #expect(keyFrames.count >= 2)
    let last = try #require(pair.frames[Self.video]?.last)
    #expect(pair.now - last.at < 1_700_000)
    #expect(pair.receiver.statistics().receivers[Self.video]?.framesDropped ?? 0 > 0)
  }

  @Test("a user's key frame requests are forwarded to the far end, at most every 300 ms") func forwardsWish() throws {
    let pair = try connected()
    _ = play(pair, seconds: 1)
    let before = pair.keyFrameRequests
    for _ in 0..<50 {
      pair.receiver.requestKeyFrame(mid: Self.video, now: pair.now)
      pair.drain()
      pair.run(milliseconds: 10)
    }
    pair.run(milliseconds: 500)
    #expect((1...3).contains(pair.keyFrameRequests - before))
  }

  @Test("reports contain the round trip, the loss and the jitter") func reports() throws {
    let pair = try connected(.init(delay: 40_000))
    _ = play(pair, seconds: 5)
    let roundTrip = try #require(pair.sender.statistics().senders[Self.video]?.roundTripTime)
    #expect((79_000...85_000).contains(roundTrip))
    #expect(pair.sender.statistics().senders[Self.video]?.packetsLost == 0)
    #expect(pair.receiver.statistics().receivers[Self.audio]?.packetsExpected == 247)
  }

  @Test("5 % of random loss does not lower the bitrate") func toleratesLoss() throws {
    let pair = try connected(.init(loss: 0.05, delay: 30_000, jitter: 5_000), bandwidth: .init(start: 1_000_000))
    _ = play(pair, seconds: 30, frameSize: 6000)
    #expect(pair.sender.statistics().targetBitrate >= 900_000)
    #expect((0.02...0.09).contains(pair.sender.statistics().loss))
  }

  @Test("a bottleneck lowers the bitrate to its capacity") func followsBottleneck() throws {
    let pair = try connected(.init(delay: 20_000, rate: 600_000), bandwidth: .init(start: 1_500_000))
    var wantsKeyFrame = true
    pair.onKeyFrameRequest = { wantsKeyFrame = true }
    for number in 0..<(30 * 15) {
      // An encoder that follows the target bitrate.
      let size = (pair.targets.last ?? 1_500_000) / 8 / 15
      pair.send(Sample.h264(number, isKeyFrame: wantsKeyFrame, size: size), mid: Self.video)
      wantsKeyFrame = false
      pair.run(milliseconds: 67)
    }
    let target = pair.sender.statistics().targetBitrate
    #expect((250_000...750_000).contains(target))
    #expect(pair.targets.contains { $0 < 650_000 })
  }

  /// Sends `seconds` of 30 fps video from an encoder that follows the target up to `most` bits per second.
  private func follow(_ pair: MediaPair, start: Int, most: Int, seconds: Int) {
    var wantsKeyFrame = true
    pair.onKeyFrameRequest = { wantsKeyFrame = true }
    for number in 0..<(seconds * 30) {
      let size = min(pair.targets.last ?? start, most) * 9 / 10 / 8 / 30
      pair.send(Sample.h264(number, isKeyFrame: wantsKeyFrame, size: size, fps: 30), mid: Self.video)
      wantsKeyFrame = false
      pair.run(milliseconds: 33)
    }
  }

  @Test("padding finds a path's capacity within seconds, and does not disturb the video")
  func probes() throws {
    let pair = try connected(.init(delay: 30_000, rate: 3_000_000), bandwidth: .init(start: 500_000))
    follow(pair, start: 500_000, most: 2_500_000, seconds: 8)
    #expect(pair.sender.statistics().targetBitrate >= 1_800_000)
    #expect(pair.sender.statistics().senders[Self.video]?.paddingPackets ?? 0 > 0)
    pair.run(milliseconds: 500)
    #expect(pair.frames[Self.video]?.count == 240)
    #expect(pair.receiver.statistics().receivers[Self.video]?.framesDropped == 0)
  }

  @Test("without RTX no padding is sent")
  func probesOnlyWithRTX() throws {
    let pair = try MediaPair(.init(delay: 30_000, rate: 3_000_000), bandwidth: .init(start: 500_000))
    var stream = Sample.stream(.h264(), mid: Self.video)
    stream.encodings = stream.encodings.map { RTPEncoding(ssrc: $0.ssrc) }
    pair.agree(on: [stream])
    #expect(pair.connect())
    follow(pair, start: 500_000, most: 2_500_000, seconds: 4)
    #expect(pair.sender.statistics().senders[Self.video]?.paddingPackets == 0)
    #expect(pair.sender.statistics().targetBitrate >= 500_000)
  }

  @Test("a path that recovers is found although only audio is sent, if more is wanted", arguments: [true, false])
  func findsRecovery(isWanted: Bool) throws {
    let pair = try connected(.init(delay: 30_000, rate: 120_000), bandwidth: .init(start: 600_000))
    pair.sender.setWanted(isWanted ? 600_000 : nil)
    // The video pauses after two seconds.
    follow(pair, start: 600_000, most: 500_000, seconds: 2)
    func talk(_ packets: Range<Int>) {
      for number in packets {
        pair.send(Sample.opus(number), mid: Self.audio)
        pair.run(milliseconds: 20)
      }
    }
    talk(0..<250)
    #expect(pair.sender.statistics().targetBitrate <= 150_000)
    pair.link.rate = 2_000_000
    talk(250..<1250)
    let target = pair.sender.statistics().targetBitrate
    #expect(isWanted ? target >= 500_000 : target < 300_000, "\(target)")
  }

  @Test("the loss of sent audio is reported, that of video is not")
  func lossReports() throws {
    let pair = try connected(.init(loss: 0.2, delay: 20_000))
    for number in 0..<250 {
      pair.send(Sample.opus(number), mid: Self.audio)
      if number % 3 == 0 { pair.send(Sample.h264(number, isKeyFrame: true, size: 900), mid: Self.video) }
      pair.run(milliseconds: 20)
    }
    #expect(Set(pair.losses.keys) == [Self.audio])
    let reports = pair.losses[Self.audio] ?? []
    #expect((2...6).contains(reports.count))
    #expect((0.05...0.4).contains(reports.reduce(0, +) / Double(reports.count)))
  }

  @Test("20 % of random loss leaves seven tenths of the bitrate", arguments: [1, 2, 3] as [UInt64])
  func enduresLoss(seed: UInt64) throws {
    let pair = try connected(.init(loss: 0.2, delay: 25_000, jitter: 5_000), seed: seed, bandwidth: .init(start: 1_000_000))
    follow(pair, start: 1_000_000, most: 1_000_000, seconds: 20)
    #expect(pair.sender.statistics().targetBitrate >= 700_000)
  }

  @Test("the far end's own estimate limits the bitrate")
  func obeysEstimate() throws {
    let outgoing = OutgoingMedia(.init(start: 1_000_000))
    _ = outgoing.replace(with: [Sample.stream(.vp8, mid: Self.video)])
    #expect(outgoing.takeTargetChange() == 1_000_000)
    outgoing.limit(to: 300_000)
    #expect(outgoing.takeTargetChange() == 300_000)
  }

  @Test("garbled input neither traps nor produces frames") func survivesNoise() throws {
    let pair = try connected()
    _ = play(pair, seconds: 1)
    var generator = SeededGenerator(seed: 7)
    let before = pair.frames[Self.video]?.count
    for _ in 0..<5000 {
      var noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      noise.withUnsafeMutableBytes { pair.receiver.receive($0, from: MediaPair.clientAddress, now: pair.now) }
      pair.drain()
    }
    #expect(pair.frames[Self.video]?.count == before)
  }

  @Test("streams that start and end do not disturb the others") func changesStreams() throws {
    let pair = try MediaPair()
    let first = Sample.stream(.h264(), mid: "0")
    pair.agree(on: [first])
    #expect(pair.connect())
    pair.send(Sample.h264(0, isKeyFrame: true, size: 3000), mid: "0")
    pair.run(milliseconds: 100)
    pair.agree(on: [first, Sample.stream(.vp8, mid: "1")])
    pair.send(Sample.h264(1, isKeyFrame: false, size: 3000), mid: "0")
    pair.run(milliseconds: 100)
    #expect(pair.frames["0"]?.count == 2)
    pair.agree(on: [])
    #expect(!pair.sender.send(Sample.h264(2, isKeyFrame: false, size: 3000), mid: "0", now: pair.now))
  }

  @Test("the far end learns about a new network, and media continues") func changesNetwork() throws {
    let pair = try connected()
    _ = play(pair, seconds: 1)
    pair.sender.networkChanged(now: pair.now)
    pair.drain()
    _ = play(pair, seconds: 1)
    #expect(pair.frames[Self.video]?.count == 30)
  }
}
