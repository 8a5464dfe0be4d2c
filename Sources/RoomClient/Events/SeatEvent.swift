import RoomProtocol

/// An event of the room's seats and layout; see ``RoomSeats/events()``.
///
/// New versions of the library may add cases, so a `switch` should have a `default`.
public enum SeatEvent: Sendable {
  /// A user took or left a seat, or one of its switches was set.
  case changed(SeatChangedData)
  /// The layout changed; `off` names the users who lost their seats.
  case layoutChanged(LayoutChangedData)
  /// A user requests a seat.
  case requested(SeatRequest)
  /// A seat request was answered, cancelled or timed out.
  case requestEnded(SeatEndedData)
  /// A user was invited to a seat.
  case invited(SeatInvitation)
  /// A seat invitation was answered, cancelled or timed out.
  case invitationEnded(SeatEndedData)
  /// The connection returned after so long that changes are missing. ``RoomSeats/all`` and its neighbours are current.
  case refreshed

  init?(_ event: RoomEvent) {
    switch event {
    case .seatChanged(let data): self = .changed(data)
    case .layoutChanged(let data): self = .layoutChanged(data)
    case .seatRequested(let request): self = .requested(request)
    case .seatRequestEnded(let data): self = .requestEnded(data)
    case .seatInvited(let invitation): self = .invited(invitation)
    case .seatInvitationEnded(let data): self = .invitationEnded(data)
    case .refreshed: self = .refreshed
    default: return nil
    }
  }
}
