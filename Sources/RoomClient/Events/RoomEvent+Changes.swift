import RoomProtocol

extension RoomEvent {
  /// Creates the event for a change of seats, messages, attributes or a PK.
  init(_ change: RoomChange) {
    switch change {
    case .seatChanged(let data): self = .seatChanged(data)
    case .layoutChanged(let data): self = .layoutChanged(data)
    case .seatRequested(let request): self = .seatRequested(request)
    case .seatRequestEnded(let data): self = .seatRequestEnded(data)
    case .seatInvited(let invitation): self = .seatInvited(invitation)
    case .seatInvitationEnded(let data): self = .seatInvitationEnded(data)
    case .message(let message): self = .message(message)
    case .attributesChanged(let data): self = .attributesChanged(data)
    case .pkInvited(let invitation): self = .pkInvited(invitation)
    case .pkInvitationEnded(let data): self = .pkInvitationEnded(data)
    case .pkMatching(let ticket): self = .pkMatching(ticket)
    case .pkMatchEnded(let data): self = .pkMatchEnded(data)
    case .pkBegan(let info): self = .pkBegan(info)
    case .pkChanged(let info): self = .pkChanged(info)
    case .pkEnded(let data): self = .pkEnded(data)
    }
  }
}
