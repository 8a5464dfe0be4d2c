import RoomWebRTC

/// Identifies an annex of a room.
package struct MediaAnnexID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Its number among the members of the room: larger than that of any worker.
  let member: Int

  package var description: String { "\(member)" }
}

/// Where clients reach the transports of an annex.
package struct MediaAnnexAddresses: Sendable, Hashable, Codable {
  package var fingerprint: Fingerprint
  /// The host candidates of each worker.
  package var candidates: [[ICECandidate]]

  package init(fingerprint: Fingerprint, candidates: [[ICECandidate]]) {
    self.fingerprint = fingerprint
    self.candidates = candidates
  }
}
