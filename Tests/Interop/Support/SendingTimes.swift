import RoomLossyLink
import RoomTestSupport
import Synchronization

/// When each node of a cluster sent UDP datagrams, since the start of the observation. Without a PK all of them are media, and
/// connectivity checks of media transports.
final class SendingTimes: Sendable {
  typealias Time = ContinuousClock.Instant

  struct Times: Sendable {
    /// The first and the last time at which datagrams were sent; nil if none were.
    var first: Time?
    var last: Time?
    var count = 0
  }

  private let state: Mutex<[Times]>
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// Starts at once, and looks every 10 ms.
  init(of network: ClusterNetwork) throws {
    let start = try network.nodes.map { try $0.namespace.datagramsSent() }
    state = Mutex(start.map { _ in Times() })
    task.withLock {
      $0 = Task { [weak self] in
        var before = start
        while !Task.isCancelled {
          for (index, site) in network.nodes.enumerated() {
            guard let sent = try? site.namespace.datagramsSent() else { continue }
            if sent > before[index] { self?.note(index, sent - before[index]) }
            before[index] = sent
          }
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
    }
  }

  deinit { task.withLock { $0?.cancel() } }

  func times(of node: Int) -> Times { state.withLock { $0[node] } }

  private func note(_ node: Int, _ count: Int) {
    let now = ContinuousClock.now
    state.withLock { times in
      times[node].first = times[node].first ?? now
      times[node].last = now
      times[node].count += count
    }
  }
}
