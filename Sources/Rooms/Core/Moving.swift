import RoomProtocol
import RoomSFU

// How the media of a client moves to another server, while its session continues.

extension RoomCore {
  /// Maximum time for which the client receives over the old transport as well.
  static let leavingTime = Duration.seconds(10)

  /// Moves a client's next transports to another server.
  ///
  /// The client receives over the old transport until the client closes it. What it publishes moves with its next `publish`.
  /// - Parameter annex: the server that has the media from now on; nil for this one.
  mutating func move(_ participant: Participant, to annex: MediaAnnexID?) {
    let user = participant.user
    endLeaving(of: user)
    let old = participant.receiving.transport?.id
    roster.setReceiving(nil, of: user)
    _ = roster.change(user) {
      $0.annex = annex
      $0.leaving = old
      $0.receiving.plan.retry()
    }
    if old != nil { timers.set(.leaving(user), at: time(in: Self.leavingTime)) }
    log(.info, "media moves", ["user": "\(user)"])
  }

  /// Closes the transport over which a client received before its media moved.
  mutating func endLeaving(of user: UserID) {
    guard let id = roster[user]?.leaving else { return }
    timers.cancel(.leaving(user))
    _ = roster.change(user) { $0.leaving = nil }
    order(.close(id))
  }

  /// Closes a transport that its client has left, if it is one.
  mutating func endLeaving(_ id: TransportID) {
    guard let user = roster.order.first(where: { roster[$0]?.leaving == id }) else { return }
    endLeaving(of: user)
  }
}
