import RoomProtocol

/// An event of the room's PK; see ``RoomPK/events()``.
///
/// New versions of the library may add cases, so a `switch` should have a `default`.
public enum PKEvent: Sendable {
  /// This room invited another room, or was invited; only with the `admin` grant. The room that `from` names invited, by the
  /// user `by`.
  case invited(PKInvitation)
  /// An invitation was answered, cancelled or timed out; only with the `admin` grant.
  case invitationEnded(PKInvitationEndedData)
  /// This room looks for an opponent; only with the `admin` grant.
  case matching(PKTicket)
  /// The search for an opponent ended; only with the `admin` grant. ``began(_:)`` follows if there is one.
  case matchEnded(PKMatchEndedData)
  /// A PK began. With `PKMode.move` the anchor of the inviting room now calls ``RoomPK/move(_:)``.
  case began(PKInfo)
  /// The viewers of a relay job now see the split screen; as ``RoomEvent/pkOnAir(_:)``.
  case onAir(PKOnAirData)
  /// The score, a mute or the connection of an anchor changed.
  case changed(PKInfo)
  /// The PK ended. An anchor that had moved now calls ``RoomPK/returnHome(token:)``.
  case ended(PKEndedData)
  /// The connection returned after so long that changes are missing. ``RoomPK/current`` and ``RoomPK/invitations`` are
  /// current.
  case refreshed

  init?(_ event: RoomEvent) {
    switch event {
    case .pkInvited(let invitation): self = .invited(invitation)
    case .pkInvitationEnded(let data): self = .invitationEnded(data)
    case .pkMatching(let ticket): self = .matching(ticket)
    case .pkMatchEnded(let data): self = .matchEnded(data)
    case .pkBegan(let info): self = .began(info)
    case .pkOnAir(let data): self = .onAir(data)
    case .pkChanged(let info): self = .changed(info)
    case .pkEnded(let data): self = .ended(data)
    case .refreshed: self = .refreshed
    default: return nil
    }
  }
}
