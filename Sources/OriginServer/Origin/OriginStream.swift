import RoomLiveOrigin
import RoomRTMP
import RoomRTP
import Synchronization

/// The publisher of a stream.
package enum Publisher: Sendable, Hashable {
  /// A broadcast of this server's own jobs.
  case job
  case encoder(EncoderProtocol, address: String)
  /// This server, from another stream.
  case variant
  /// Another server of the cluster, from which this one pulls the stream.
  case pull(from: String)

  /// A stable name for the API.
  var kind: String {
    switch self {
    case .job: "job"
    case .encoder(let encoderProtocol, _): encoderProtocol.rawValue
    case .variant: "variant"
    case .pull: "pull"
    }
  }

  /// The address of an encoder; nil for a stream of this server.
  var encoderAddress: String? {
    switch self {
    case .encoder(_, let address): address
    case .job, .variant, .pull: nil
    }
  }

  /// Whether the stream comes from nowhere else in the cluster: it has an entry in the registry.
  package var isOriginal: Bool {
    switch self {
    case .job, .encoder: true
    case .variant, .pull: false
    }
  }

  var isPull: Bool { if case .pull = self { true } else { false } }
}

/// The state of one path in addition to its hub: observers, publisher and viewers. Exists as long as a client publishes the
/// path, watches it or waits for it.
package final class OriginStream: Sendable {
  /// A publish in progress.
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
    /// Those of them that are other servers.
    var pulls = 0
    /// The people who watch at other servers.
    var elsewhere = 0
    var rate = ByteRate()
  }

  private let state = Mutex(State())

  /// The publish in progress.
  var publish: Publish? { state.withLock { $0.publish } }
  func viewers(_ viewingProtocol: ViewingProtocol) -> Int { state.withLock { $0.viewers[viewingProtocol] ?? 0 } }
  /// The people who watch here, over all protocols.
  var audienceHere: Int { state.withLock { $0.viewers.values.reduce(0, +) - $0.pulls } }
  /// The people who watch, here and at other servers.
  var audience: Int { state.withLock { $0.viewers.values.reduce(0, +) - $0.pulls + $0.elsewhere } }
  /// Returns the kilobits of the last whole second.
  func kilobits(now: Instant) -> Int { state.withLock { $0.rate.bytes(now: now) * 8 / 1000 } }

  func begin(_ publish: Publish) { state.withLock { $0.publish = publish } }

  func end() { state.withLock { $0.publish = nil } }

  func changeViewers(_ viewingProtocol: ViewingProtocol, by count: Int) {
    state.withLock { $0.viewers[viewingProtocol, default: 0] += count }
  }

  /// Counts another server among the viewers, or no more.
  func changePulls(by count: Int) { state.withLock { $0.pulls += count } }

  /// Sets the number of people who watch at other servers.
  func watched(elsewhere count: Int) { state.withLock { $0.elsewhere = count } }

  func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = observer
      return state.lastObserver
    }
  }

  func forget(observer: Int) {
    // Released outside the lock, because releasing the observer may call back into this object.
    _ = state.withLock { $0.observers.removeValue(forKey: observer) }
  }

  /// Counts a published message, and calls the observers.
  func published(_ bytes: Int, now: Instant) {
    let observers = state.withLock { state in
      state.rate.count(bytes, now: now)
      return state.observers
    }
    for observer in observers.values { observer() }
  }

  /// Calls the observers because of new media or the end of the stream.
  func wake() {
    for observer in state.withLock({ $0.observers }).values { observer() }
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
