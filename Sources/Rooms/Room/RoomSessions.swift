import RoomProtocol
import RoomSFU
import RoomToken
import RoomWebRTC

/// A room's sessions over HTTP: WHIP and WHEP.
package struct RoomSessions: Sendable {
  let room: Room

  /// Adds a publisher by WHIP.
  /// - Parameters:
  ///   - profile: what it shows of itself.
  ///   - annex: the server that has its media; nil for this one.
  package func publish(
    _ token: RoomToken, offer: String, profile: ParticipantProfile? = nil, annex: MediaAnnexID?
  ) async -> SessionOffer {
    await begin { core throws(SessionRefusal) in try core.publish(token, offer: offer, profile: profile, annex: annex) }
  }

  /// Adds a viewer by WHEP.
  /// - Parameter annex: the server that has its media; nil for this one.
  package func view(_ token: RoomToken, _ source: Viewer.Source, offer: String, annex: MediaAnnexID?) async -> SessionOffer {
    await begin { core throws(SessionRefusal) in try core.view(token, source, offer: offer, annex: annex) }
  }

  private func begin(
    _ input: @Sendable (inout RoomCore) throws(SessionRefusal) -> SessionAnswer
  ) async -> SessionOffer {
    do throws(SessionRefusal) {
      let answer = try await room.perform { core throws(SessionRefusal) -> SessionAnswer? in
        core.isClosed ? nil : try input(&core)
      }
      return answer.map { .answered($0) } ?? .roomIsClosed
    } catch { return .refused(error) }
  }

  /// Finds a session.
  /// - Throws: if this user has no such session.
  package func find(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) async throws(SessionRefusal) {
    _ = try await room.read { core throws(SessionRefusal) in try core.session(id, of: user, direction) }
  }

  /// Trickles candidates or restarts ICE. Returns the session and the fragment that answers a restart.
  package func patch(
    _ id: SessionResourceID, of user: UserID, _ direction: SessionDirection, _ fragment: ICEFragment, match: String?
  ) async throws(SessionRefusal) -> (SessionResource, ICEFragment?) {
    try await room.perform { core throws(SessionRefusal) in
      try core.patch(id, of: user, direction, fragment, match: match)
    }
  }

  /// Returns the layers of a viewer's picture.
  package func layers(of id: SessionResourceID, _ user: UserID) async throws(SessionRefusal) -> ViewerLayers {
    try await room.read { core throws(SessionRefusal) in try core.layers(of: id, user) }
  }

  /// Limits a viewer to a layer of its picture; nil for the best that the network carries.
  package func setLayer(_ encodingId: String?, of id: SessionResourceID, _ user: UserID) async throws(SessionRefusal) {
    try await room.perform { core throws(SessionRefusal) in try core.setLayer(encodingId, of: id, user) }
  }

  /// Ends a session at its client's request.
  package func finish(
    _ id: SessionResourceID, of user: UserID, _ direction: SessionDirection
  ) async throws(SessionRefusal) {
    try await room.perform { core throws(SessionRefusal) in try core.finish(id, of: user, direction) }
  }
}
