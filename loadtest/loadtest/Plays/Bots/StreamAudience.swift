import Foundation
import RoomRTMP
import RoomRTP

/// Viewers of live streams over RTMP and HTTP-FLV: most only read headers, some decode.
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

  /// One viewer's counters, read on its loop.
  private struct Slice: Sendable {
    var reception: ViewerReception
    var firstPicture: Double?
    var failure: String?
  }

  private let stage: Stage
  private let counting: TCPLoop
  /// Decoders run on a thread of their own, so that they do not delay the viewers that count.
  private let decoding: TCPLoop
  private var counted: [Viewer] = []
  private var decoded: [Viewer] = []

  init(_ stage: Stage) throws {
    self.stage = stage
    counting = try TCPLoop(name: "viewers")
    decoding = try TCPLoop(name: "decoders")
  }

  /// Adds a viewer.
  /// - Parameter watch: receives the decoded media; nil for a viewer that does not decode.
  func watch(_ stream: String, over kind: WatchingProtocol, watch: SignalWatch? = nil) async throws {
    let place = try place(stream, kind)
    let result: Result<Void, LoadtestError> = await (watch == nil ? counting : decoding).run { crowd in
      do throws(LoadtestError) {
        let viewer = try place.viewer(sample: watch.map { DecodedStream($0) })
        guard crowd.add(viewer) else {
          viewer.socket.close()
          throw .system("epoll failed to add a viewer")
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
    case .hls, .lowLatencyHLS:
      return .hls(
        host: stage.host, port: stage.port, path: "/live/\(stream).m3u8", isSecure: stage.isSecure,
        isLowLatency: kind == .lowLatencyHLS)
    case .rtmp:
      guard let port = stage.rtmpPort, let address = RTMPAddress("rtmp://\(stage.host):\(port)/live/\(stream)") else {
        throw ScenarioError("RTMP viewers require the server's RTMP port: --rtmp-port")
      }
      return .rtmp(address)
    }
  }

  /// Returns when every viewer has a picture or has failed.
  func allSee() async {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end, !Task.isCancelled {
      await look(seconds: nil)
      if (counted + decoded).allSatisfy({ $0.hasPicture || $0.hasFailed }) { return }
      try? await Task.sleep(for: .milliseconds(50))
    }
    let blind = (counted + decoded).filter { !$0.hasPicture && !$0.hasFailed }
    if !blind.isEmpty {
      stage.recorder.fail("\(blind.count) viewers, the first over \(blind[0].kind), received no picture in \(Self.patience)")
    }
  }

  /// Records what was received since the last call, about a second ago.
  func tell(seconds: Double = 1) async {
    await look(seconds: seconds)
    for viewer in decoded { viewer.watch?.take().tell(stage.recorder, of: viewer.kind.rawValue, seconds: seconds) }
  }

  /// Discards what was received so far: the start of a stream is not part of the measurement.
  func begin() async {
    await forgetSteps()
    for viewer in decoded { _ = viewer.watch?.take() }
  }

  /// Resets the longest steps between timestamps.
  func forgetSteps() async { await counting.run { crowd in for viewer in crowd.viewers { _ = viewer.takeSteps() } } }

  /// Records the longest steps between timestamps since the last call or reset.
  func tellSteps() async {
    let slices = await counting.run { crowd in crowd.viewers.map { $0.takeSteps() } }
    for (slice, viewer) in zip(slices, counted) where viewer.hasPicture && !viewer.hasFailed {
      stage.recorder.record(.takeover, Double(slice.video.longestStep))
      stage.recorder.record(.takeoverSound, Double(slice.audio.longestStep))
    }
  }

  /// - Parameter seconds: seconds since the last call; nil records no rates.
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
    // Viewers added meanwhile are included in the next call.
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
        stage.recorder.fail("a viewer of \(viewers[index].stream) over \(kind): \(failure)")
      }
    }
    return viewers
  }

  func leave() async {
    await counting.stop()
    await decoding.stop()
  }
}
