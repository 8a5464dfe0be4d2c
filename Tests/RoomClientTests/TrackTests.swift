import NIOConcurrencyHelpers
import RTP
import RoomProtocol
import Testing

@testable import RoomClient

@Suite("Tracks")
struct TrackTests {
  private func frame(_ number: Int, key: Bool = false) -> EncodedFrame {
    EncodedFrame(data: [UInt8(truncatingIfNeeded: number)], timestamp: UInt32(number), isKeyFrame: key)
  }

  /// A transport that takes frames, or does not.
  private final class Sink: Sendable {
    let sent = NIOLockedValueBox<[EncodedFrame]>([])
    let isFull = NIOLockedValueBox(false)

    var outlet: TrackFeed.Outlet {
      TrackFeed.Outlet(transport: ObjectIdentifier(self), mid: "0") { [self] frame, _ in
        guard !isFull.withLockedValue({ $0 }) else { return false }
        sent.withLockedValue { $0.append(frame) }
        return true
      }
    }
  }

  @Test("a local video track asks for a key frame when its transport comes up, and sends nothing before one")
  func beginsWithKeyFrame() async {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let sink = Sink()
    var requests = track.keyFrameRequests.makeAsyncIterator()
    #expect(!track.send(frame(0, key: true)))
    track.feed.connect(sink.outlet)
    await requests.next()
    #expect(!track.send(frame(1)))
    #expect(track.send(frame(2, key: true)))
    #expect(track.send(frame(3)))
    #expect(sink.sent.withLockedValue { $0.map(\.timestamp) } == [2, 3])
  }

  @Test("after a full queue nothing but a key frame is sent") func resumesWithKeyFrame() {
    let track = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let sink = Sink()
    track.feed.connect(sink.outlet)
    sink.isFull.withLockedValue { $0 = true }
    #expect(!track.send(frame(0, key: true)))
    sink.isFull.withLockedValue { $0 = false }
    #expect(!track.send(frame(1)))
    #expect(track.send(frame(2, key: true)))
  }

  @Test("a muted track sends nothing, and asks for a key frame when it goes on") func mutes() async {
    let track = LocalVideoTrack(codec: .h264, width: 320, height: 180, fps: 15)
    let sink = Sink()
    track.feed.connect(sink.outlet)
    track.feed.setMuted(true)
    #expect(!track.send(frame(0, key: true)))
    var requests = track.keyFrameRequests.makeAsyncIterator()
    track.feed.setMuted(false)
    await requests.next()
    #expect(track.send(frame(1, key: true)))
  }

  @Test("a track belongs to one room at a time") func belongsToOne() {
    let track = LocalAudioTrack()
    let (first, second) = (Fan<Int>(), Fan<Int>())
    #expect(track.feed.claim(by: first))
    #expect(!track.feed.claim(by: second))
    track.feed.release()
    #expect(track.feed.claim(by: second))
  }

  private func remote(_ kind: TrackKind) -> (RemoteTrack, NIOLockedValueBox<Int>) {
    let asked = NIOLockedValueBox(0)
    let track = RemoteTrack(userId: "ada", info: TrackInfo(trackId: "t", kind: kind), codec: kind == .video ? "vp8" : "opus")
    track.connect { asked.withLockedValue { $0 += 1 } }
    return (track, asked)
  }

  @Test("the first reader gets the picture from the key frame on, though it came before") func servesEarly() async {
    let (track, asked) = remote(.video)
    for number in 0..<4 { track.deliver(frame(number, key: number == 1)) }
    let frames = track.frames
    track.deliver(frame(4))
    track.end()
    var got: [UInt32] = []
    for await frame in frames { got.append(frame.timestamp) }
    #expect(got == [1, 2, 3, 4])
    #expect(asked.withLockedValue { $0 } == 0)
  }

  @Test("a later reader begins with a key frame, which is asked for") func asksForLaterReader() async {
    let (track, asked) = remote(.video)
    let first = track.frames
    track.deliver(frame(0, key: true))
    let before = asked.withLockedValue { $0 }
    let second = track.frames
    #expect(asked.withLockedValue { $0 } == before + 1)
    for number in 1..<4 { track.deliver(frame(number, key: number == 2)) }
    track.end()
    var got: [UInt32] = []
    for await frame in second { got.append(frame.timestamp) }
    #expect(got == [2, 3])
    got = []
    for await frame in first { got.append(frame.timestamp) }
    #expect(got == [0, 1, 2, 3])
  }

  @Test("a reader that falls behind loses video up to the next key frame, and that is asked for") func skipsToKeyFrame() async {
    let (track, asked) = remote(.video)
    let frames = track.frames
    let limit = RemoteTrack.frameBacklog
    let before = asked.withLockedValue { $0 }
    for number in 0..<(limit + 10) { track.deliver(frame(number, key: number == 0)) }
    #expect(asked.withLockedValue { $0 } == before + 1)
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

  @Test("a slow listener loses the oldest sound") func losesOldestSound() async {
    let (track, _) = remote(.audio)
    let frames = track.frames
    for number in 0..<(RemoteTrack.frameBacklog + 5) { track.deliver(frame(number, key: true)) }
    track.end()
    var got: [UInt32] = []
    for await frame in frames { got.append(frame.timestamp) }
    #expect(got.first == 5)
    #expect(got.count == RemoteTrack.frameBacklog)
  }
}
