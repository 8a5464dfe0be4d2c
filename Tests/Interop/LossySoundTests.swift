import RoomClient
import RoomCodecs
import RoomLinkModel
import RoomMedia
import RoomProtocol
import RoomSound
import RoomTestSupport
import Synchronization
import Testing

extension RealMedia {
  @Suite("Sound over a lossy link")
  struct LossySoundTests {
    /// 10 % lost and up to 30 ms of jitter each way.
    private static let link = LinkConditions(loss: 0.1, delay: 20_000, jitter: 30_000)

    @Test(
      "through 10 % loss and 30 ms jitter the client makes up under 1 % and plays within 150 ms, beside Chromium",
      .timeLimit(.minutes(8)))
    func plays() async throws {
      try await withServer { server in
        let (one, other) = (BadNetwork(Self.link, seed: 21), BadNetwork(Self.link, seed: 22))
        let speaker = try await Participant.join(server, as: "speaker")
        try await speaker.publish(video: nil, tone: 700)
        let reference = try await Listener(server, as: "reference")
        let listener = try await Listener(server, as: "listener", through: one)
        let page = try await BrowserClient.open()
        var detours: [String: UInt16] = [:]
        for port in server.mediaPorts {
          detours["\(port)"] = other.detour(for: .init(ipv4: 0x7F00_0001, port: port)).port
        }
        try await page.join(url: server.url, token: try await server.token(user: "page"), detours: detours)
        try await eventually("the browser receives the tone") {
          try await page.received().contains { abs($0.frequency - 700) < 12 && $0.level > -60 }
        }
        // The server learns the loss from reports, before it repeats packets.
        try await eventually("the server repeats packets") {
          try await server.metric("roomserver_media_audio_redundant_total") > 100
        }
        let seconds = TestLength.pick(12, long: 60)
        // On a machine that stalls, the sound of that time is made up too: a stretch without a stall has to come.
        for attempt in 1...6 {
          let before = try await page.sound()
          listener.startMeasuring()
          try await eventually("some seconds of sound", within: .seconds(90)) { listener.figures.blocks > seconds * 100 }
          let after = try await page.sound()
          let figures = listener.figures
          let delay = figures.delay(0.95, against: reference.fastest)
          let concealed = figures.concealed
          let browserConcealed = (after.concealed - before.concealed) / (after.samples - before.samples)
          let browserDelay = (after.delay - before.delay) / max(1, after.emitted - before.emitted) * 1000
          print(
            "made up: \(concealed) of the sound, Chromium \(browserConcealed); delay p95 \(delay) ms; in Chromium's buffer",
            "\(browserDelay) ms in the mean; \(figures.silent) silent blocks, \(after.lost - before.lost) packets lost")
          #expect(after.lost - before.lost > seconds * 2, "the link loses")
          if concealed < 0.01, delay < 150 { break }
          #expect(attempt < 6, "made up: \(concealed), delay p95 \(delay) ms")
        }
        try await page.leave()
        try await page.close()
        await listener.room.leave()
        await reference.room.leave()
        await speaker.leave()
      }
    }
  }
}

/// A client that plays the first audio track to a device that reads 10 ms each 10 ms.
private final class Listener: Sendable {
  struct Figures: Sendable {
    var blocks = 0
    /// Blocks with silence because the queue was empty.
    var silent = 0
    /// For each block: when it was played less the time of its first sample, in ms.
    var offsets: [Double] = []
    /// Samples that were played, and those among them that were concealed.
    var samples = 0.0
    var concealedSamples = 0.0

    /// The share of the played time that no packet contained.
    var concealed: Double {
      (concealedSamples + Double(silent) * 480) / max(1, samples)
    }

    func delay(_ quantile: Double, against fastest: Double) -> Double {
      let sorted = offsets.sorted()
      guard !sorted.isEmpty else { return .infinity }
      // A packet is complete 20 ms after its first sample was captured.
      return sorted[min(sorted.count - 1, Int(Double(sorted.count) * quantile))] - fastest + 20
    }
  }

  struct State: Sendable {
    var playout = ClockMatchedPlayout(.init(target: 80))
    /// The time of the sample after the last that was written, in ms of the publisher's clock.
    var end = 0.0
    var fastest = Double.infinity
    var figures: Figures?
    var base: AudioPlayback.Statistics?
  }

  /// The zero of all listeners' times.
  private static let start = ContinuousClock.now
  let room: Room
  private let state = Mutex(State())
  private let playback = Mutex<AudioPlayback?>(nil)

  init(_ server: TestServer, as user: UserID, through network: BadNetwork? = nil) async throws {
    var options = RoomOptions()
    if let network { options.mediaAddressOverride = { network.detour(for: $0) } }
    room = try await Room.connect(to: server.url, token: try await server.token(user: user), options: options)
    let events = room.events()
    Task { [weak self] in
      for await event in events {
        if case .trackSubscribed(let track) = event, track.kind == .audio { try self?.play(track) }
      }
    }
  }

  private func play(_ track: RemoteTrack) throws {
    let playback = try AudioPlayback(track, channels: 2)
    self.playback.withLock { $0 = playback }
    let start = Self.start
    Task { [weak self, frames = playback.frames] in
      for await frame in frames {
        let now = (ContinuousClock.now - start) / .milliseconds(1)
        self?.state.withLock { state in
          state.playout.write(frame.samples)
          let time = Double(frame.timestamp.ticks(rate: 48_000)) / 48
          state.end = time + Double(frame.frameCount) / 48
          state.fastest = min(state.fastest, now - time)
        }
      }
    }
    Task { [weak self] in
      var block = [Float](repeating: 0, count: 960)
      var deadline = ContinuousClock.now
      while let self {
        deadline += .milliseconds(10)
        try await Task.sleep(until: deadline, clock: .continuous)
        let now = (ContinuousClock.now - start) / .milliseconds(1)
        let statistics = playback.statistics
        state.withLock { state in
          let first = state.end - Double(state.playout.queued) / 1000
          let isSound = state.playout.read(&block)
          guard var figures = state.figures else { return }
          let base = state.base ?? statistics
          state.base = base
          figures.blocks += 1
          figures.samples += 480
          figures.concealedSamples = Double(statistics.concealedSamples - base.concealedSamples)
          if isSound { figures.offsets.append(now - first) } else { figures.silent += 1 }
          state.figures = figures
        }
      }
    }
  }

  func startMeasuring() { state.withLock { $0.figures = Figures() } }
  var figures: Figures { state.withLock { $0.figures ?? Figures() } }
  /// The smallest time from a sample's timestamp to its packet's arrival, in ms.
  var fastest: Double { state.withLock { $0.fastest } }
}
