import Synchronization

/// Limits the requests of all HLS streams that wait for content. A waiting request occupies a suspended connection, but no
/// thread.
final class HLSWaiting: Sendable {
  let limit: Int
  private let waiting = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// The number of requests that wait now.
  var count: Int { waiting.withLock { $0 } }

  /// Counts one more request. Returns false if the limit is reached.
  func enter() -> Bool {
    waiting.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  /// Ends the wait of a request for which `enter` returned true.
  func leave() { waiting.withLock { $0 -= 1 } }
}
