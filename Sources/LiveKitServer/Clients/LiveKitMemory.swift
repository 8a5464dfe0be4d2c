import RoomLinux
import RoomServer
import RoomToken

/// The session of a LiveKit client. The room keeps it for the client's next connection, which continues it.
///
/// One connection at a time may change it: a connection that the server still takes for alive is superseded.
final class LiveKitMemory: Sendable {
  private struct State: Sendable {
    var session: LiveKitSession
    var owner: ObjectIdentifier
  }

  private let state: Guarded<State>

  init(_ session: LiveKitSession, of outlet: LiveKitOutlet) {
    state = Guarded(State(session: session, owner: ObjectIdentifier(outlet)))
  }

  /// Changes the session for a connection. Returns what is to be done; nil if another connection continues it.
  func change(
    by outlet: LiveKitOutlet, _ change: @Sendable (inout LiveKitSession) -> Void
  ) -> [LiveKitSession.Output]? {
    state.withLock { state in
      guard state.owner == ObjectIdentifier(outlet) else { return nil }
      change(&state.session)
      return state.session.takeOutputs()
    }
  }

  /// What the client may do now.
  var token: LiveKitToken { state.withLock { $0.session.token } }

  /// Whether a client knows itself by the sid of the session, and has as many peer connections.
  /// - Parameter sid: that in its present room.
  func serves(_ client: LiveKitClient, _ sid: String) -> Bool {
    state.withLock { state in
      [sid, state.session.firstSID].contains(client.sid)
        && state.session.client.hasSingleConnection == client.hasSingleConnection
    }
  }

  /// Lets a connection continue the session.
  /// - Returns: the number of the last change of the room that the client knows; nil if it knows none.
  func pass(to outlet: LiveKitOutlet, _ token: LiveKitToken, _ client: LiveKitClient) -> Int? {
    state.withLock { state in
      state.owner = ObjectIdentifier(outlet)
      return state.session.resume(token, client)
    }
  }
}
