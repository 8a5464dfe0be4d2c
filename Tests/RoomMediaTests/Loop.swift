import Codecs
import RTP
import RoomProtocol
import Synchronization

@testable import RoomClient

/// A local track whose frames come out of a remote track, with nothing in between but what a test does to them.
final class Loop: Sendable {
  let remote: RemoteTrack
  let line: TrackLine
  private let record = Record()

  /// - Parameters:
  ///   - change: gets each frame with its number; nil loses it.
  ///   - decoded: gets the remote track when its first picture was decoded.
  init(
    _ track: any LocalTrack, codec: String,
    change: @escaping @Sendable (Int, EncodedFrame) -> EncodedFrame? = { _, frame in frame },
    decoded: (@Sendable (RemoteTrack) -> Void)? = nil
  ) {
    guard let line = track.feed.claim() else { preconditionFailure("the track is published already") }
    self.line = line
    let record = record
    let remote = RemoteTrack(userId: "ann", info: TrackInfo(trackId: "t1", kind: track.kind), codec: codec, decoded: decoded)
    remote.connect(requestKeyFrame: {
      record.keyFrameRequested()
      line.keyFrameRequested()
    })
    self.remote = remote
    line.connect(
      .init(transport: ObjectIdentifier(record), mid: "0") { frame, level in
        let number = record.add(frame, level)
        if let frame = change(number, frame) { remote.deliver(frame) }
        return true
      })
  }

  /// All frames so far, also those that were lost.
  var sent: [EncodedFrame] { record.state.withLock { $0.sent } }
  /// The loudness told with each frame.
  var levels: [Int?] { record.state.withLock { $0.levels } }
  /// How often the receiver asked for a key frame.
  var keyFrameRequests: Int { record.state.withLock { $0.keyFrameRequests } }

  private final class Record: Sendable {
    struct State: Sendable {
      var sent: [EncodedFrame] = []
      var levels: [Int?] = []
      var keyFrameRequests = 0
    }

    let state = Mutex(State())

    func add(_ frame: EncodedFrame, _ level: Int?) -> Int {
      state.withLock { state in
        state.sent.append(frame)
        state.levels.append(level)
        return state.sent.count - 1
      }
    }

    func keyFrameRequested() { state.withLock { $0.keyFrameRequests += 1 } }
  }
}

/// The first `count` elements, or fewer if the stream ends or `seconds` are over before.
func collect<Element: Sendable>(
  _ count: Int, from stream: AsyncStream<Element>, within seconds: Double = 30
) async -> [Element] {
  let reader = Task {
    var elements: [Element] = []
    for await element in stream {
      elements.append(element)
      if elements.count >= count { break }
    }
    return elements
  }
  let deadline = Task {
    try await Task.sleep(for: .seconds(seconds))
    reader.cancel()
  }
  defer { deadline.cancel() }
  return await reader.value
}

/// Returns when `condition` holds; false if it does not within `seconds`.
func eventually(within seconds: Double = 30, _ condition: @Sendable () async -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return await condition()
}
