package import RoomClient
public import RoomCodecs
public import RoomMedia
import RoomPush
import RoomRTP
import Synchronization

/// Pushes pictures and sound to a live server by RTMP, RTMPS, SRT or WHIP, without a room or beside one.
///
/// ```swift
/// let session = try StreamingSession(options: StreamingOptions(reconnects: .default, minBitrate: 200_000))
/// try await session.start("rtmp://push.example.com/live/stream")
/// session.push(frame)
/// ```
///
/// On a slow network video is dropped before audio, and only up to the next key frame, so that viewers get no broken picture. A
/// session that is released stops.
public actor StreamingSession {
  /// The number of events that a reader may leave unread. Beyond it the oldest are dropped.
  private static let backlog = 64

  /// What arrives from the connections and from the network, in order.
  private enum Input: Sendable {
    case link(StreamingLinkEvent, connection: Int)
    case closed(connection: Int)
    case measured(StreamingProgress, connection: Int)
    case networkChanged
  }

  private nonisolated let media = SessionMedia()
  private nonisolated let broadcaster = Broadcaster<StreamingEvent>()
  private nonisolated let inputs: AsyncStream<Input>.Continuation
  private nonisolated let tasks = Mutex<[Task<Void, Never>]>([])
  private let follower: NetworkFollower
  private var setup: StreamingSetup
  private var core: StreamingCore
  private var address: StreamingAddress?
  private var waiters: [CheckedContinuation<StreamingFailure?, Never>] = []
  private var timer: (task: Task<Void, Never>, due: Instant)?
  private var generator = SystemRandomNumberGenerator()

  /// Creates a session that is not started.
  /// - Throws: `VideoLimitError`, or `CodecError` for settings that an encoder rejects, or a codec other than H.264.
  public init(_ setup: StreamingSetup = .init(), options: StreamingOptions = .init()) throws {
    try self.init(setup, options: options, network: .kernel)
  }

  /// - Parameter network: the machine's network; a test replaces it.
  package init(_ setup: StreamingSetup, options: StreamingOptions, network: NetworkView) throws {
    if let video = setup.video { try Self.check(video) }
    // This encoder only validates the settings.
    if let audio = setup.audio { _ = try AACEncoder(audio) }
    let (stream, inputs) = AsyncStream.makeStream(of: Input.self)
    self.setup = setup
    self.inputs = inputs
    follower = NetworkFollower(setup.networkChange, view: network)
    core = StreamingCore(bitrate: setup.video?.settings.bitrate ?? 0, fps: setup.video?.settings.fps ?? 0, options: options)
    let tasks = [
      Task { [weak self] in for await input in stream { await self?.take(input) } },
      Task { [follower] in await follower.run { inputs.yield(.networkChanged) } },
    ]
    self.tasks.withLock { $0 = tasks }
  }

  deinit {
    for task in tasks.withLock({ $0 }) { task.cancel() }
    timer?.task.cancel()
    inputs.finish()
    media.end()
    broadcaster.finish()
  }

  /// The state of the push.
  public var state: StreamingState { core.state }

  /// The events from now on. Each access returns a new stream, which ends with the session.
  public nonisolated var events: AsyncStream<StreamingEvent> { broadcaster.stream(backlog: Self.backlog) }

  // MARK: The push

  /// Starts the push and returns when the server has accepted it. A cancelled task stops the push.
  /// - Parameters:
  ///   - url: `rtmp://`, `rtmps://`, `srt://`, or the endpoint of WHIP: `https://` or `http://`.
  ///   - token: the bearer token for the endpoint of WHIP.
  /// - Throws: the reason why there is no push. The state is then `error`, unless the session was running.
  public func start(_ url: String, token: String? = nil) async throws(StreamingFailure) {
    let address = try StreamingAddress(url)
    guard !core.isRunning else { throw .alreadyRunning }
    try begin(address, token: token)
    core.start(now: RTMPPush.now())
    try await connected()
  }

  /// Ends the push and returns when its connection is closed. Has no effect on a session that is not running.
  public func stop() async {
    core.stop(now: RTMPPush.now())
    run()
    guard core.isRunning else { return }
    _ = await withCheckedContinuation { waiters.append($0) }
  }

  /// Replaces the connection of a running push at once, such as on another network or with a new URL, and returns when the server
  /// has accepted it. The stream's time continues.
  /// - Parameter url: a new URL of the same protocol; nil takes the last one.
  /// - Throws: the reason why there is no push; ``StreamingFailure/stopped`` if it was not running.
  public func restart(_ url: String? = nil) async throws(StreamingFailure) {
    guard core.isRunning, let old = address else { throw .stopped }
    if let url {
      let new = try StreamingAddress(url)
      guard new.isSameProtocol(as: old) else { throw .invalidURL("another protocol") }
      address = new
    }
    core.restart(now: RTMPPush.now())
    try await connected()
  }

  // MARK: The media

  /// Pushes the next picture, of any size: it is scaled to the configured one. The picture's timestamp must be larger than the
  /// previous one.
  ///
  /// Returns at once. Pictures and sound need no common clock, but push both as they are captured.
  /// - Returns: false if a picture was dropped because the encoder is busy: the oldest one that waited.
  @discardableResult public nonisolated func push(_ frame: VideoFrame) -> Bool { media.push(frame) }

  /// Pushes the next samples, any number of them, in any format. The samples follow the previous ones without a gap unless
  /// their timestamp is more than 60 ms later.
  public nonisolated func push(_ frame: AudioFrame) { media.push(frame) }

  /// Also passes what is pushed to sources of a room, so that one camera and one microphone have two outputs. Nil ends it.
  public nonisolated func share(camera: VideoSource?, microphone: AudioSource?) {
    media.share(camera: camera, microphone: microphone)
  }

  /// Mixes remote tracks into what is pushed, before or during a push; nil pushes the camera and the microphone alone. Tracks that
  /// stay in the mix are shown and heard without an interruption.
  /// - Throws: `CodecError` for a canvas of an unsupported size, or a track that cannot be decoded. The old mix remains.
  public nonisolated func setMix(_ mix: StreamingMix?) throws(CodecError) { try media.setMix(mix) }

  // MARK: The settings

  /// The switches. A change applies at once.
  public var options: StreamingOptions { core.options }

  /// Changes the switches, before, during or after a push.
  public func set(_ options: StreamingOptions) {
    core.set(options)
    media.output?.apply(options)
    run()
  }

  /// The video configuration; nil for a session without video.
  public var video: VideoConfiguration? { setup.video }

  /// Changes the video configuration, before, during or after a push, without a reconnect. Another size costs a key frame.
  /// - Throws: `VideoLimitError`, or `CodecError` for settings out of range, another codec, or a session without video.
  ///   The old configuration remains.
  public func reconfigure(_ video: VideoConfiguration) throws {
    guard setup.video != nil else { throw CodecError.invalidSetting("the session has no video") }
    try Self.check(video)
    setup.video = video
    core.set(bitrate: video.settings.bitrate, fps: video.settings.fps)
    media.output?.reconfigure(video)
    run()
  }

  private static func check(_ video: VideoConfiguration) throws {
    guard video.codec == .h264 else { throw CodecError.invalidSetting("a push needs H.264, not \(video.codec)") }
    try video.check()
    _ = try video.makeEncoder()
  }

  // MARK: Inside

  private func begin(_ address: StreamingAddress, token: String?) throws(StreamingFailure) {
    do {
      let output: any StreamingOutput =
        switch address {
        case .rtmp, .srt: try FLVOutput(setup, rate: core.rate)
        case .whip: try WHIPOutput(setup, token: token, options: core.options)
        }
      self.address = address
      media.setOutput(output)
    } catch {
      throw .encoder("\(error)")
    }
  }

  private func connected() async throws(StreamingFailure) {
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        waiters.append(waiter)
        run()
      }
    } onCancel: {
      Task { [weak self] in await self?.stop() }
    }
    if let failure { throw failure }
  }

  private func take(_ input: Input) {
    let now = RTMPPush.now()
    switch input {
    case .link(.opened(let server), let connection):
      if let server { follower.connected(to: server) }
      core.opened(connection, now: now)
    case .link(.failed(let failure), let connection): core.failed(connection, failure, now: now, using: &generator)
    case .closed(let connection): core.closed(connection, now: now)
    case .measured(let progress, let connection): core.measured(connection, progress, now: now)
    case .networkChanged: if media.output?.followNetwork() == false { core.restart(now: now) }
    }
    run()
  }

  /// Performs the actions of the core.
  private func run() {
    while let action = core.nextOutput() { perform(action) }
    schedule()
  }

  private func perform(_ action: StreamingCore.Output) {
    let (inputs, output) = (inputs, media.output)
    switch action {
    case .open(let connection):
      guard let address else { return }
      output?.open(address) { inputs.yield(.link($0, connection: connection)) }
    case .close(let connection): output?.close { inputs.yield(.closed(connection: connection)) }
    case .encode(let rate): output?.encode(at: rate)
    case .measure(let connection):
      Task { inputs.yield(.measured(await output?.progress() ?? StreamingProgress(), connection: connection)) }
    case .state(let state, let failure):
      broadcaster.send(.state(state, failure))
      changed(state, failure)
    case .status(let status): broadcaster.send(.status(status))
    }
  }

  private func changed(_ state: StreamingState, _ failure: StreamingFailure?) {
    switch state {
    case .connected: resume(nil)
    case .error: resume(failure ?? .stopped)
    case .disconnected: resume(.stopped)
    case .unknown, .connecting, .disconnecting, .autoReconnecting: return
    }
    if state != .connected { media.setOutput(nil) }
  }

  private func resume(_ failure: StreamingFailure?) {
    for waiter in waiters { waiter.resume(returning: failure) }
    waiters = []
  }

  private func schedule() {
    let due = core.deadline
    guard due != timer?.due else { return }
    timer?.task.cancel()
    timer = due.map { due in
      let wait = Duration.microseconds(max(0, due - RTMPPush.now()))
      let task = Task { [weak self] in
        guard (try? await Task.sleep(for: wait)) != nil else { return }
        await self?.timerFired()
      }
      return (task, due)
    }
  }

  private func timerFired() {
    timer = nil
    core.advance(to: RTMPPush.now())
    run()
  }
}
