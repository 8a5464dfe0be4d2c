import Foundation
import RTMP
import RTP

/// Viewers of live streams by RTMP and HTTP-FLV: most by headers alone, some decode.
actor StreamAudience {
  private static let patience = Duration.seconds(20)

  private struct Viewer {
    var kind: WatchingProtocol
    var stream: String
    var watch: SignalWatch?
    var frames = 0
    var hasPicture = false
    var hasFailed = false
  }

  /// One viewer's counters, as its loop has them.
  private struct Slice: Sendable {
    var reception: ViewerReception
    var firstPicture: Double?
    var failure: String?
  }

  private let stage: Stage
  private let counting: TCPLoop
  /// Decoders are on a thread of their own, so that those who count are not late.
  private let decoding: TCPLoop
  private var counted: [Viewer] = []
  private var decoded: [Viewer] = []

  init(_ stage: Stage) throws {
    self.stage = stage
    counting = try TCPLoop(name: "viewers")
    decoding = try TCPLoop(name: "decoders")
  }

  /// A viewer begins to watch.
  /// - Parameter watch: of one that decodes.
  func watch(_ stream: String, over kind: WatchingProtocol, watch: SignalWatch? = nil) async throws {
    let place = try place(stream, kind)
    let result: Result<Void, FanoutError> = await (watch == nil ? counting : decoding).run { crowd in
      do throws(FanoutError) {
        let viewer = try place.viewer(sample: watch.map { DecodedStream($0) })
        guard crowd.add(viewer) else {
          viewer.socket.close()
          throw .system("no epoll for one more viewer")
        }
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
    let viewer = Viewer(kind: kind, stream: stream, watch: watch)
    if watch == nil { counted.append(viewer) } else { decoded.append(viewer) }
  }

  private func place(_ stream: String, _ kind: WatchingProtocol) throws -> ViewersTarget.Place {
    switch kind {
    case .flv: return .flv(host: stage.host, port: stage.port, path: "/live/\(stream).flv", isSecure: stage.isSecure)
    case .rtmp:
      guard let port = stage.rtmpPort, let address = RTMPAddress("rtmp://\(stage.host):\(port)/live/\(stream)") else {
        throw ScenarioError("viewers by RTMP need the server's RTMP port: --rtmp-port")
      }
      return .rtmp(address)
    }
  }

  /// Returns when all have a picture, or are known to have failed.
  func allSee() async {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end, !Task.isCancelled {
      await look(seconds: nil)
      if (counted + decoded).allSatisfy({ $0.hasPicture || $0.hasFailed }) { return }
      try? await Task.sleep(for: .milliseconds(50))
    }
    let blind = (counted + decoded).filter { !$0.hasPicture && !$0.hasFailed }
    if !blind.isEmpty {
      stage.recorder.fail("\(blind.count) viewers, the first by \(blind[0].kind), saw nothing in \(Self.patience)")
    }
  }

  /// Tells what came in the last second or so.
  func tell(seconds: Double = 1) async {
    await look(seconds: seconds)
    for viewer in decoded { viewer.watch?.take().tell(stage.recorder, of: viewer.kind.rawValue, seconds: seconds) }
  }

  /// What was seen and heard so far counts for nothing: a stream's own beginning is none of its course.
  func begin() async {
    await forgetSteps()
    for viewer in decoded { _ = viewer.watch?.take() }
  }

  /// From now on steps between timestamps are looked for.
  func forgetSteps() async { await counting.run { crowd in for viewer in crowd.viewers { _ = viewer.takeSteps() } } }

  /// Tells the longest steps between timestamps since they were last told or forgotten.
  func tellSteps() async {
    let slices = await counting.run { crowd in crowd.viewers.map { $0.takeSteps() } }
    for (slice, viewer) in zip(slices, counted) where viewer.hasPicture && !viewer.hasFailed {
      stage.recorder.record(.takeover, Double(slice.video.longestStep))
      stage.recorder.record(.takeoverSound, Double(slice.audio.longestStep))
    }
  }

  /// - Parameter seconds: since the last look; nil records no rates.
  private func look(seconds: Double?) async {
    counted = await look(at: counted, on: counting, seconds)
    decoded = await look(at: decoded, on: decoding, nil)
  }

  private func look(at viewers: [Viewer], on loop: TCPLoop, _ seconds: Double?) async -> [Viewer] {
    let slices = await loop.run { crowd in
      crowd.viewers.map { viewer in
        Slice(
          reception: viewer.reception,
          firstPicture: viewer.reception.firstPicture.map { Double($0 - viewer.began) / 1000 }, failure: viewer.failure)
      }
    }
    var viewers = viewers
    // Those that came meanwhile are looked at the next time.
    for (index, slice) in zip(viewers.indices, slices) {
      let kind = viewers[index].kind.rawValue
      if let time = slice.firstPicture, !viewers[index].hasPicture {
        viewers[index].hasPicture = true
        stage.recorder.record(.firstMedia, time, of: kind)
      } else if let seconds, viewers[index].hasPicture, !viewers[index].hasFailed {
        stage.recorder.record(.fps, Double(slice.reception.video.frames - viewers[index].frames) / seconds, of: kind)
      }
      viewers[index].frames = slice.reception.video.frames
      if let failure = slice.failure, !viewers[index].hasFailed {
        viewers[index].hasFailed = true
        stage.recorder.fail("a viewer of \(viewers[index].stream) by \(kind): \(failure)")
      }
    }
    return viewers
  }

  func leave() async {
    await counting.stop()
    await decoding.stop()
  }
}
