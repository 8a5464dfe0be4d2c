import NIOConcurrencyHelpers
import RTMP
import RTP

/// Who publishes a stream.
package enum Publisher: Sendable, Hashable {
  /// A broadcast of this server's own jobs.
  case job
  /// An encoder, from this address.
  case rtmp(String)
  /// This server, from another stream.
  case variant

  /// A stable word for programs.
  var kind: String {
    switch self {
    case .job: "job"
    case .rtmp: "rtmp"
    case .variant: "variant"
    }
  }
}

/// What the origin knows of one path beside its hub: who is to be woken, who publishes, who watches. There for as long as
/// anybody publishes it, watches it or waits for it.
package final class OriginStream: Sendable {
  /// A publish that is under way.
  package struct Publish: Sendable {
    package var publisher: Publisher
    /// Milliseconds since 1970.
    var since: Int64
    /// Asks the publisher to end.
    var stop: @Sendable (_ reason: String) -> Void
  }

  private struct State {
    var observers: [Int: @Sendable () -> Void] = [:]
    var lastObserver = 0
    var publish: Publish?
    var viewers: [ViewingProtocol: Int] = [:]
    var rate = ByteRate()
  }

  private let state = NIOLockedValueBox(State())

  /// The publish that is under way.
  var publish: Publish? { state.withLockedValue { $0.publish } }
  func viewers(_ way: ViewingProtocol) -> Int { state.withLockedValue { $0.viewers[way] ?? 0 } }
  /// Kilobits of the last whole second.
  func kilobits(now: Instant) -> Int { state.withLockedValue { $0.rate.bytes(now: now) * 8 / 1000 } }

  func begin(_ publish: Publish) { state.withLockedValue { $0.publish = publish } }

  func end() { state.withLockedValue { $0.publish = nil } }

  func changeViewers(_ way: ViewingProtocol, by count: Int) {
    state.withLockedValue { $0.viewers[way, default: 0] += count }
  }

  func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
    state.withLockedValue { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = observer
      return state.lastObserver
    }
  }

  func forget(observer: Int) {
    // Let go of outside the lock: what it holds may come back here.
    _ = state.withLockedValue { $0.observers.removeValue(forKey: observer) }
  }

  /// A message of so many bytes was published.
  func published(_ bytes: Int, now: Instant) {
    let observers = state.withLockedValue { state in
      state.rate.count(bytes, now: now)
      return state.observers
    }
    for observer in observers.values { observer() }
  }

  /// There is something new for viewers to see, or the stream is over.
  func wake() {
    for observer in state.withLockedValue({ $0.observers }).values { observer() }
  }
}

/// Bytes of the last whole second.
private struct ByteRate {
  private var began = Instant(microseconds: 0)
  private var current = 0
  private var last = 0

  mutating func count(_ bytes: Int, now: Instant) {
    turn(now)
    current &+= bytes
  }

  mutating func bytes(now: Instant) -> Int {
    turn(now)
    return last
  }

  private mutating func turn(_ now: Instant) {
    let age = now - began
    guard age >= 1_000_000 else { return }
    last = age < 2_000_000 ? current : 0
    current = 0
    began = age < 2_000_000 ? began.advanced(microseconds: 1_000_000) : now
  }
}
