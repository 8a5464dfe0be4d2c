import Foundation
import RoomRTP
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Tracks")
struct TrackTests {
  private func frame(_ number: Int, key: Bool = false) -> EncodedFrame {
    EncodedFrame(data: [UInt8(truncatingIfNeeded: number)], timestamp: UInt32(number), isKeyFrame: key)
  }

  /// A transport that accepts or rejects frames.
  private final class Sink: Sendable {
    let sent = Shared<[EncodedFrame]>([])
    let isFull = Shared(false)

    var outlet: TrackLine.Outlet {
      TrackLine.Outlet(transport: ObjectIdentifier(self), mid: "0") { [self] frame, _, _ in
        guard !isFull.withLock({ $0 }) else { return false }
        sent.withLock { $0.append(frame) }
        return true
      }
    }
  }

  @Test("a local video track requests a key frame when its transport connects, and sends nothing before it")
  func beginsWithKeyFrame() async throws {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let sink = Sink()
    var requests = track.keyFrameRequests.makeAsyncIterator()
    #expect(!track.send(frame(0, key: true)))
    let line = try #require(track.feed.claim())
    line.connect(sink.outlet)
    await requests.next()
    #expect(!track.send(frame(1)))
    #expect(track.send(frame(2, key: true)))
    #expect(track.send(frame(3)))
    #expect(sink.sent.withLock { $0.map(\.timestamp) } == [2, 3])
  }

  @Test("after a full queue only a key frame is sent") func resumesWithKeyFrame() throws {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let sink = Sink()
    try #require(track.feed.claim()).connect(sink.outlet)
    sink.isFull.withLock { $0 = true }
    #expect(!track.send(frame(0, key: true)))
    sink.isFull.withLock { $0 = false }
    #expect(!track.send(frame(1)))
    #expect(track.send(frame(2, key: true)))
  }

  @Test("a muted track sends nothing, and requests a key frame when unmuted") func mutes() async throws {
    let track = LocalVideoTrack(codec: .h264, width: 320, height: 180, fps: 15)
    let sink = Sink()
    let line = try #require(track.feed.claim())
    line.connect(sink.outlet)
    line.setMuted(true)
    #expect(!track.send(frame(0, key: true)))
    var requests = track.keyFrameRequests.makeAsyncIterator()
    line.setMuted(false)
    await requests.next()
    #expect(track.send(frame(1, key: true)))
  }

  @Test("a track belongs to one room at a time") func belongsToOne() throws {
    let track = LocalAudioTrack()
    let line = try #require(track.feed.claim())
    #expect(track.feed.claim() == nil)
    line.release()
    line.release()
    #expect(track.feed.claim() != nil)
  }

  @Test("during a move two rooms receive each frame, each from a key frame on") func sharesTrack() async throws {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let (old, new) = (Sink(), Sink())
    let home = try #require(track.feed.claim())
    home.named("t1")
    home.connect(old.outlet)
    #expect(track.send(frame(0, key: true)))
    let away = try #require(track.feed.claim(sharing: true))
    #expect(track.feed.claim(sharing: true) == nil)
    #expect(track.trackId == "t1")
    away.named("t2")
    #expect(track.trackId == "t2")
    away.connect(new.outlet)
    #expect(track.send(frame(1)))
    #expect(track.send(frame(2, key: true)))
    home.release()
    #expect(track.send(frame(3)))
    #expect(old.sent.withLock { $0.map(\.timestamp) } == [0, 1, 2])
    #expect(new.sent.withLock { $0.map(\.timestamp) } == [2, 3])
    #expect(track.trackId == "t2")
  }

  @Test("a track enters the second room with its mute state, and its bitrate fits both paths") func sharesState()
    async throws
  {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let home = try #require(track.feed.claim())
    home.setMuted(true)
    home.setTarget(900_000)
    let away = try #require(track.feed.claim(sharing: true))
    #expect(away.isMuted)
    away.setMuted(false)
    #expect(home.isMuted)
    var targets = track.targetBitrate.makeAsyncIterator()
    #expect(await targets.next() == 900_000)
    away.setTarget(400_000)
    #expect(await targets.next() == 400_000)
    home.setTarget(1_200_000)
    #expect(await targets.next() == 400_000)
    away.release()
    #expect(await targets.next() == 1_200_000)
  }

  private func remote(_ kind: TrackKind) -> (RemoteTrack, Shared<Int>) {
    let asked = Shared(0)
    let track = RemoteTrack(userId: "ada", info: TrackInfo(trackId: "t", kind: kind), codec: kind == .video ? .vp8 : .opus)
    track.connect { asked.withLock { $0 += 1 } }
    return (track, asked)
  }

  @Test("the first reader also receives the earlier frames from the last key frame on") func servesEarly() async {
    let (track, asked) = remote(.video)
    for number in 0..<4 { track.deliver(frame(number, key: number == 1)) }
    let frames = track.frames
    track.deliver(frame(4))
    track.end()
    var got: [UInt32] = []
    for await frame in frames { got.append(frame.timestamp) }
    #expect(got == [1, 2, 3, 4])
    #expect(asked.withLock { $0 } == 0)
  }

  @Test("a later reader starts with a requested key frame") func asksForLaterReader() async {
    let (track, asked) = remote(.video)
    let first = track.frames
    track.deliver(frame(0, key: true))
    let before = asked.withLock { $0 }
    let second = track.frames
    #expect(asked.withLock { $0 } == before + 1)
    for number in 1..<4 { track.deliver(frame(number, key: number == 2)) }
    track.end()
    var got: [UInt32] = []
    for await frame in second { got.append(frame.timestamp) }
    #expect(got == [2, 3])
    got = []
    for await frame in first { got.append(frame.timestamp) }
    #expect(got == [0, 1, 2, 3])
  }

  @Test("a slow reader loses video up to the next key frame, which is requested") func skipsToKeyFrame() async {
    let (track, asked) = remote(.video)
    let frames = track.frames
    let limit = RemoteTrack.frameBacklog
    let before = asked.withLock { $0 }
    for number in 0..<(limit + 10) { track.deliver(frame(number, key: number == 0)) }
    #expect(asked.withLock { $0 } == before + 1)
    var iterator = frames.makeAsyncIterator()
    var got: [UInt32?] = []
    for _ in 0..<limit { got.append(await iterator.next()?.timestamp) }
    #expect(got == (0..<limit).map { UInt32($0) })
    track.deliver(frame(500))
    track.deliver(frame(501, key: true))
    track.end()
    let (next, end) = (await iterator.next(), await iterator.next())
    #expect(next?.timestamp == 501)
    #expect(end == nil)
    #expect(track.unread > 0)
  }

  @Test("a slow reader loses the oldest audio") func losesOldestSound() async {
    let (track, _) = remote(.audio)
    let frames = track.frames
    for number in 0..<(RemoteTrack.frameBacklog + 5) { track.deliver(frame(number, key: true)) }
    track.end()
    var got: [UInt32] = []
    for await frame in frames { got.append(frame.timestamp) }
    #expect(got.first == 5)
    #expect(got.count == RemoteTrack.frameBacklog)
  }

  @Test("readers of a track may be cancelled while frames arrive", .timeLimit(.minutes(1)))
  func cancelledReaders() async throws {
    let (track, _) = remote(.video)
    let isOver = Shared(false)
    let isDelivering = Shared(true)
    let picture = frame(0, key: true)
    Thread.detachNewThread {
      while !isOver.withLock({ $0 }) { track.deliver(picture) }
      isDelivering.withLock { $0 = false }
    }
    for _ in 0..<3000 {
      let frames = track.frames
      let reader = Task { for await _ in frames {} }
      await Task.yield()
      reader.cancel()
      await reader.value
    }
    isOver.withLock { $0 = true }
    try await eventually("the transport is not blocked") { !isDelivering.withLock { $0 } }
  }
}
