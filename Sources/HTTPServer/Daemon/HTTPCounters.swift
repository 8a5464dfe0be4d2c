import Synchronization

/// The counters of a server's HTTP daemons since its start.
package final class HTTPCounters: Sendable {
  /// A limit that a client reached; the raw value is its label in `/metrics`.
  package enum Limit: String, Sendable, CaseIterable {
    case forwardedFor = "forwarded_for"
    case addressConnections = "connections_per_address"
    case requestTime = "request_time"
  }

  package struct Values: Sendable {
    /// Answers by status.
    package var requests: [Int: Int] = [:]
    /// Rejected requests by limit.
    package var limits: [Limit: Int] = [:]
  }

  private let box = Mutex(Values())

  package init() {}

  package var values: Values { box.withLock { $0 } }

  func countRequest(status: Int) { box.withLock { $0.requests[status, default: 0] += 1 } }
  func count(limit: Limit) { box.withLock { $0.limits[limit, default: 0] += 1 } }
}
