import RoomClient
import RoomPush
import RoomRTP

/// The decisions of a push: when to connect, to wait and to give up, what to encode, and when to report.
///
/// Sans-I/O: after each call, drain ``nextOutput()`` until it returns nil, and call ``advance(to:)`` at ``deadline``.
struct StreamingCore: Sendable {
  enum Output: Sendable, Equatable {
    /// Open a connection. Pass its number with all calls about it.
    case open(connection: Int)
    /// Close a connection, and report the end by ``closed(_:now:)``.
    case close(connection: Int)
    case state(StreamingState, StreamingFailure?)
    case encode(EncodingRate)
    /// Report the progress of a connection by ``measured(_:_:now:)``.
    case measure(connection: Int)
    case status(StreamingStatus)
  }

  private enum Phase: Sendable, Hashable {
    case idle
    /// The first connection is being opened, whose failure is final.
    case starting
    case reopening
    case connected(since: Instant)
    case waiting(until: Instant)
    case closing(until: Instant)
  }

  /// The interval in microseconds of steps of the encoder.
  private static let stepInterval: Int64 = 1_000_000
  /// A connection that lasted for this long begins a new count of tries, in microseconds.
  private static let steady: Int64 = 10_000_000
  /// The time in microseconds that a server has to end the stream.
  private static let farewell: Int64 = 2_000_000

  private(set) var state = StreamingState.unknown
  private(set) var options: StreamingOptions
  private(set) var rate: EncodingRate
  private var nominal: EncodingRate
  private var steps: RateSteps
  private var phase = Phase.idle
  private var connection = 0
  private var connections = 0
  private var attempt = 0
  private var nextStep = Instant(microseconds: 0)
  /// A measurement is requested; the next one follows not before this moment.
  private var measuring: Instant?
  private var meter = StatusMeter()
  private var outputs: [Output] = []
  private var nextIndex = 0

  /// - Parameters:
  ///   - bitrate: the configured video bitrate in bits per second; 0 without video.
  ///   - fps: the configured frame rate.
  init(bitrate: Int, fps: Int, options: StreamingOptions = .init()) {
    self.options = options
    nominal = EncodingRate(bitrate: bitrate, fps: fps)
    steps = RateSteps(bitrate: bitrate, fps: fps, options)
    rate = steps.rate
  }

  /// Returns the next action, or nil if there is none.
  mutating func nextOutput() -> Output? {
    guard nextIndex < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      nextIndex = 0
      return nil
    }
    defer { nextIndex += 1 }
    return outputs[nextIndex]
  }

  /// Whether `start` would be refused.
  var isRunning: Bool { phase != .idle }

  // MARK: The app

  /// Starts the push. Has no effect while it runs.
  mutating func start(now: Instant) {
    guard phase == .idle else { return }
    attempt = 0
    connections = 0
    meter = StatusMeter(now: now)
    steps = RateSteps(bitrate: nominal.bitrate, fps: nominal.fps, options)
    apply()
    open(.starting)
    enter(.connecting)
  }

  /// Ends the push.
  mutating func stop(now: Instant) {
    switch phase {
    case .idle, .closing: return
    case .waiting: finish()
    case .starting, .reopening, .connected:
      phase = .closing(until: now.advanced(microseconds: Self.farewell))
      enter(.disconnecting)
      outputs.append(.close(connection: connection))
    }
  }

  /// Replaces the connection at once, such as after a change of the network or of the URL. Has no effect while the push is
  /// stopped.
  mutating func restart(now: Instant) {
    switch phase {
    case .idle, .closing: return
    case .waiting: break
    case .starting, .reopening, .connected: outputs.append(.close(connection: connection))
    }
    attempt = 0
    let isFirst = phase == .starting
    open(isFirst ? .starting : .reopening)
    if !isFirst { enter(.autoReconnecting) }
  }

  /// Changes the switches.
  mutating func set(_ options: StreamingOptions) {
    self.options = options
    steps.change(bitrate: nominal.bitrate, fps: nominal.fps, options)
    apply()
  }

  /// Changes the configured bitrate and frame rate.
  mutating func set(bitrate: Int, fps: Int) {
    nominal = EncodingRate(bitrate: bitrate, fps: fps)
    steps.change(bitrate: bitrate, fps: fps, options)
    apply()
  }

  // MARK: The connection

  /// Reports that the server accepted the stream.
  mutating func opened(_ number: Int, now: Instant) {
    guard number == connection, phase == .starting || phase == .reopening else { return }
    phase = .connected(since: now)
    connections += 1
    measuring = nil
    nextStep = now.advanced(microseconds: Self.stepInterval)
    enter(.connected)
  }

  /// Reports that a connection could not be opened, or was lost.
  mutating func failed(
    _ number: Int, _ failure: StreamingFailure, now: Instant, using generator: inout some RandomNumberGenerator
  ) {
    guard number == connection else { return }
    switch phase {
    case .idle, .waiting: return
    case .closing: return finish()
    case .starting: return end(failure)
    case .reopening: break
    case .connected(let since): if now - since >= Self.steady { attempt = 0 }
    }
    outputs.append(.close(connection: number))
    meter.connectionEnded()
    attempt += 1
    guard !failure.isFinal, let wait = options.reconnects.wait(before: attempt, using: &generator) else { return end(failure) }
    let (seconds, attoseconds) = wait.components
    phase = .waiting(until: now.advanced(microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
    enter(.autoReconnecting, failure)
  }

  /// Reports that a connection is closed as requested.
  mutating func closed(_ number: Int, now: Instant) {
    guard number == connection, case .closing = phase else { return }
    finish()
  }

  /// Reports the progress of a connection.
  mutating func measured(_ number: Int, _ progress: StreamingProgress, now: Instant) {
    guard number == connection, case .connected = phase else { return }
    measuring = nil
    meter.measured(progress)
    if now >= nextStep {
      nextStep = now.advanced(microseconds: Self.stepInterval)
      steps.update(queued: progress.queued, dropped: meter.total.dropped)
      apply()
    }
    reportIfDue(now)
  }

  // MARK: Time

  /// The time of the next call to `advance`; nil if no timer is needed.
  var deadline: Instant? {
    switch phase {
    case .idle: nil
    case .starting, .reopening: meter.due(options)
    case .connected: nextMeasurement
    case .waiting(let until): min(until, meter.due(options))
    case .closing(let until): until
    }
  }

  /// Performs the actions that are due.
  mutating func advance(to now: Instant) {
    switch phase {
    case .idle: break
    case .closing(let until): if now >= until { finish() }
    case .starting, .reopening: reportIfDue(now)
    case .waiting(let until):
      reportIfDue(now)
      if now >= until { open(.reopening) }
    case .connected:
      guard now >= nextMeasurement else { return }
      measuring = now.advanced(microseconds: Self.stepInterval)
      outputs.append(.measure(connection: connection))
    }
  }

  private var nextMeasurement: Instant {
    let due = min(nextStep, meter.due(options))
    return measuring.map { max($0, due) } ?? due
  }

  // MARK: Inside

  private mutating func enter(_ state: StreamingState, _ failure: StreamingFailure? = nil) {
    guard state != self.state || failure != nil else { return }
    self.state = state
    outputs.append(.state(state, failure))
  }

  private mutating func open(_ phase: Phase) {
    connection += 1
    self.phase = phase
    meter.connectionEnded()
    outputs.append(.open(connection: connection))
  }

  private mutating func end(_ failure: StreamingFailure) {
    if phase == .starting { outputs.append(.close(connection: connection)) }
    phase = .idle
    enter(.error, failure)
  }

  private mutating func finish() {
    phase = .idle
    enter(.disconnected)
  }

  private mutating func apply() {
    guard steps.rate != rate else { return }
    rate = steps.rate
    outputs.append(.encode(rate))
  }

  private mutating func reportIfDue(_ now: Instant) {
    guard now >= meter.due(options) else { return }
    var status = meter.report(now: now)
    (status.state, status.connections) = (state, connections)
    let target = meter.total.rate ?? rate
    (status.targetBitrate, status.targetFPS) = (target.bitrate, target.fps)
    outputs.append(.status(status))
  }
}
