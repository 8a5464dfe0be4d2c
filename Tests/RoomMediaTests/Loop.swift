import RoomCodecs
import RoomRTP
import RoomProtocol
import Synchronization

@testable import RoomClient

/// A local track whose frames arrive at a remote track, with only the test's changes in between.
final class Loop: Sendable {
  let remote: RemoteTrack
  let line: TrackLine
  private let record = Record()

  /// - Parameters:
  ///   - change: receives each frame with its number; nil drops the frame.
  ///   - decoded: receives the remote track when its first picture was decoded.
  init(
    _ track: any LocalTrack, codec: CodecName,
    change: @escaping @Sendable (Int, EncodedFrame) -> EncodedFrame? = { _, frame in frame },
    decoded: (@Sendable (RemoteTrack) -> Void)? = nil
  ) {
    guard let line = track.fed?.feed.claim() else { preconditionFailure("the track is published already") }
    self.line = line
    let record = record
    let remote = RemoteTrack(userId: "ann", info: TrackInfo(trackId: "t1", kind: track.kind), codec: codec, decoded: decoded)
    remote.connect(requestKeyFrame: {
      record.keyFrameRequested()
      line.keyFrameRequested()
    })
    self.remote = remote
    line.connect(
      .init(transport: ObjectIdentifier(record), mid: "0") { frame, rid, level in
        let number = record.add(frame, rid, level)
        if let frame = change(number, frame) { remote.deliver(frame) }
        return true
      })
  }

  /// All sent frames, including lost ones.
  var sent: [EncodedFrame] { record.state.withLock { $0.sent } }
  /// The layer of each frame; empty for a track without layers.
  var layers: [String] { record.state.withLock { $0.layers } }
  /// The level of each frame.
  var levels: [Int?] { record.state.withLock { $0.levels } }
  /// The number of key frame requests of the receiver.
  var keyFrameRequests: Int { record.state.withLock { $0.keyFrameRequests } }

  private final class Record: Sendable {
    struct State: Sendable {
      var sent: [EncodedFrame] = []
      var layers: [String] = []
      var levels: [Int?] = []
      var keyFrameRequests = 0
    }

    let state = Mutex(State())

    func add(_ frame: EncodedFrame, _ rid: Rid?, _ level: Int?) -> Int {
      state.withLock { state in
        state.sent.append(frame)
        state.layers.append(rid?.rawValue ?? "")
        state.levels.append(level)
        return state.sent.count - 1
      }
    }

    func keyFrameRequested() { state.withLock { $0.keyFrameRequests += 1 } }
  }
}

/// Returns the first `count` elements, or fewer if the stream ends or after `seconds`.
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
