import RoomWebRTC
import Synchronization

/// Reports that the local address toward the server changed, if the policy allows the client to follow.
package final class NetworkFollower: Sendable {
  /// Several messages follow one change of the network, and the new address is usable only after the last.
  private static let settlingTime = Duration.milliseconds(250)

  private struct State {
    var server: TransportAddress?
    var path = ServerPath()
  }

  private let policy: NetworkChangePolicy
  private let view: NetworkView
  private let state = Mutex(State())

  package init(_ policy: NetworkChangePolicy, view: NetworkView) {
    self.policy = policy
    self.view = view
  }

  /// Records the server that the client is connected to, and the address from which it is reached now.
  package func connected(to server: TransportAddress) {
    let source = view.source(server)
    state.withLock { state in
      state.server = server
      _ = state.path.update(source)
    }
  }

  /// Calls `follow` for each change to follow, until the task is cancelled.
  package func run(follow: @Sendable () -> Void) async {
    if case .ignore = policy { return }
    for await _ in view.changes() {
      guard (try? await Task.sleep(for: Self.settlingTime)) != nil else { return }
      guard let change = update() else { continue }
      if case .ask(let mayFollow) = policy, !(await mayFollow(change)) { continue }
      follow()
    }
  }

  private func update() -> NetworkChange? {
    guard let server = state.withLock(\.server) else { return nil }
    let source = view.source(server)
    return state.withLock { $0.path.update(source) }
  }
}
