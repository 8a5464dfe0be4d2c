import Synchronization

/// Records the measurements of a run: figures over time, events and failures.
final class Recorder: Sendable {
  /// Maximum number of values kept for the percentiles of each figure; beyond it, a uniform sample is kept.
  static let kept = 20_000
  private static let failureLimit = 200
  private static let eventLimit = 2000
  private static let kindLimit = 64

  /// A figure's values, of one kind if it has several.
  struct Series: Sendable {
    struct Second: Sendable {
      var count = 0
      var sum = 0.0
      var max = -Double.infinity
      var min = Double.infinity
    }

    var figure: Figure
    var kind: String?
    var count = 0
    var sum = 0.0
    var values: [Double] = []
    var least = Double.infinity
    var most = -Double.infinity
    var seconds: [Int: Second] = [:]
    /// State of the generator that selects the sample.
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func add(_ value: Double, second: Int) {
      count += 1
      sum += value
      least = min(least, value)
      most = max(most, value)
      var bucket = seconds[second] ?? Second()
      bucket.count += 1
      bucket.sum += value
      bucket.max = max(bucket.max, value)
      bucket.min = min(bucket.min, value)
      seconds[second] = bucket
      if values.count < Recorder.kept {
        values.append(value)
        return
      }
      // Algorithm R: every value has the same probability of being kept.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = Int((state >> 33) % UInt64(count))
      if place < values.count { values[place] = value }
    }
  }

  /// An event that explains the charts.
  struct Event: Codable, Sendable, Equatable {
    /// Seconds since the start of the run.
    var at: Double
    var text: String
    /// Whether a new phase starts with this event.
    var isPhase = false
  }

  private struct State {
    var series: [String: Series] = [:]
    var events: [Event] = []
    var failures: [String] = []
    var failureCount = 0
    var phase = ""
  }

  let start = ContinuousClock.now
  private let state = Mutex(State())

  /// Seconds since the start.
  var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// - Parameter kind: distinguishes different values of one figure, such as rtmp and flv.
  func record(_ figure: Figure, _ value: Double, of kind: String? = nil) {
    guard value.isFinite else { return }
    let second = Int(elapsed)
    let key = kind.map { "\(figure.rawValue).\($0)" } ?? figure.rawValue
    state.withLock { state in
      guard state.series[key] != nil || state.series.count < Self.kindLimit else { return }
      state.series[key, default: Series(figure: figure, kind: kind)].add(value, second: second)
    }
  }

  /// Records the duration of `body` in milliseconds. If it throws, a failure is recorded instead.
  func time<Result>(_ figure: Figure, of kind: String? = nil, _ body: () async throws -> Result) async throws -> Result {
    let start = ContinuousClock.now
    let result = try await body()
    record(figure, (ContinuousClock.now - start) / .milliseconds(1), of: kind)
    return result
  }

  /// Records an event that explains the charts.
  func event(_ text: String) { note(Event(at: elapsed, text: text)) }

  private func note(_ event: Event) { state.withLock { if $0.events.count < Self.eventLimit { $0.events.append(event) } } }

  /// Records a failure; the run continues.
  func fail(_ text: String) {
    state.withLock { state in
      state.failureCount += 1
      if state.failures.count < Self.failureLimit { state.failures.append(text) }
    }
  }

  /// Records the start of a phase.
  func phase(_ text: String) {
    note(Event(at: elapsed, text: text, isPhase: true))
    state.withLock { $0.phase = text }
  }

  /// Everything recorded so far.
  struct Contents: Sendable {
    var series: [Series]
    var events: [Event]
    var failures: [String]
    var failureCount: Int
    var phase: String
  }

  var contents: Contents {
    state.withLock { state in
      Contents(
        series: Array(state.series.values), events: state.events, failures: state.failures, failureCount: state.failureCount,
        phase: state.phase)
    }
  }
}
