import RoomRTMP
import RoomRTP

/// The publisher and the viewers of one run, and their threads.
actor ViewersCrew {
  private let plan: ViewersPlan
  private let clip: LiveClip
  private let target: ViewersTarget
  private let loops: [TCPLoop]
  private var publisher: StreamPublisher?
  private var epoch = Instant(microseconds: 0)

  init(_ plan: ViewersPlan, _ clip: LiveClip, _ target: ViewersTarget) throws {
    self.plan = plan
    self.clip = clip
    self.target = target
    loops = try (0..<plan.threads).map { try TCPLoop(name: "view-\($0)") }
  }

  /// Returns once the publisher is publishing.
  func publish(within seconds: Double) async throws {
    let publisher = StreamPublisher(clip, to: target.publish)
    self.publisher = publisher
    epoch = try await publisher.isLive(within: seconds)
  }

  /// Adds one viewer.
  func join(number: Int) async throws {
    let loop = loops[number % loops.count]
    let result: Result<Void, LoadtestError> = await loop.run { [target, clip, epoch] crowd in
      do throws(LoadtestError) {
        let sample = number % ViewersPlan.sampling == 0 ? MediaSample(clip, epoch: epoch) : nil
        let viewer = try target.viewer(sample: sample)
        guard crowd.add(viewer) else {
          viewer.socket.close()
          throw .system("epoll failed to add a viewer")
        }
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Returns how many viewers have a picture, and why a viewer failed to get one, if any did.
  func joined() async -> (count: Int, failure: String?) {
    var joined = 0
    var failure: String?
    for loop in loops {
      let part = await loop.run { crowd in
        (crowd.viewers.count { $0.reception.firstPicture != nil }, crowd.viewers.lazy.compactMap(\.failure).first)
      }
      joined += part.0
      failure = failure ?? part.1
    }
    return (joined, failure)
  }

  /// Starts to record the delays of the sampled viewers.
  func beginSamples() async {
    for loop in loops {
      await loop.run { crowd in for viewer in crowd.viewers { (viewer.sample as? MediaSample)?.isTimed = true } }
    }
  }

  /// Returns the results of the sampled viewers.
  func samples() async -> (frames: Int, altered: Int, delays: [Double]) {
    var all = (frames: 0, altered: 0, delays: [Double]())
    for loop in loops {
      let part = await loop.run { crowd in
        let samples = crowd.viewers.compactMap { $0.sample as? MediaSample }
        return (samples.reduce(0) { $0 + $1.frames }, samples.reduce(0) { $0 + $1.altered }, samples.flatMap(\.delays))
      }
      all = (all.frames + part.0, all.altered + part.1, all.delays + part.2)
    }
    return all
  }

  /// Returns the milliseconds from each viewer's connection attempt to its first picture.
  func joinTimes() async -> [Double] {
    var times: [Double] = []
    for loop in loops {
      times += await loop.run { crowd in
        crowd.viewers.compactMap { viewer in viewer.reception.firstPicture.map { Double($0 - viewer.began) / 1000 } }
      }
    }
    return times
  }

  /// Returns what the publisher sent and what each viewer received so far, with the viewers always in the same order.
  func counts() async throws -> ViewersCount {
    let sent = publisher?.progress ?? .init()
    if let failure = sent.failure { throw LoadtestError.noMedia("the publisher: \(failure)") }
    var count = ViewersCount(sent: sent)
    for loop in loops {
      let part = await loop.run { crowd in
        let failures = crowd.viewers.compactMap(\.failure)
        return (crowd.viewers.map(\.reception), failures.count, failures.first)
      }
      count.viewers += part.0
      count.gone += part.1
      count.reason = count.reason ?? part.2
    }
    return count
  }

  /// Disconnects the publisher and all viewers.
  func leave() async {
    for loop in loops { await loop.stop() }
    await publisher?.stop()
  }
}

/// The counters of the publisher and the viewers at one moment.
struct ViewersCount: Sendable {
  var sent: StreamPublisher.Progress
  var viewers: [ViewerReception] = []
  /// Number of viewers whose connections ended, and the reason of one of them.
  var gone = 0
  var reason: String?

  var frames: Int { viewers.reduce(0) { $0 + $1.frames } }
  var bytes: Int { viewers.reduce(0) { $0 + $1.bytes } }
  var payload: Int { viewers.reduce(0) { $0 + $1.payload } }
  var disordered: Int { viewers.reduce(0) { $0 + $1.audio.disordered + $1.video.disordered } }

  /// Returns the frames that were skipped since `start`, over all viewers.
  func lost(since start: ViewersCount, of clip: LiveClip) -> Int {
    zip(start.viewers, viewers).reduce(0) { sum, pair in
      sum + Self.lost(clip, .audio, pair.0.audio, pair.1.audio) + Self.lost(clip, .video, pair.0.video, pair.1.video)
    }
  }

  private static func lost(
    _ clip: LiveClip, _ kind: MediaMessage.Kind, _ first: ViewerReception.Kind, _ last: ViewerReception.Kind
  ) -> Int {
    guard let from = first.last, let to = last.last, to >= from else { return 0 }
    let expected = clip.count(kind, upTo: to) - clip.count(kind, upTo: from)
    return max(0, expected - (last.frames - first.frames))
  }

  /// Returns the number of viewers that received less than `share` of what was published since `start`.
  func starved(since start: ViewersCount, below share: Double) -> Int {
    let published = Double(sent.payload - start.sent.payload)
    return zip(start.viewers, viewers).count { Double($1.payload - $0.payload) < published * share }
  }
}
