import RoomEngine

extension SessionRefusal {
  /// The response to a client that is not admitted.
  package init(_ refusal: Entrance.Refusal) {
    switch refusal {
    case .noToken(let error): self = .unauthorised(error, isMissing: true)
    case .token(let error): self = .unauthorised(error)
    case .otherRoom(let error), .grant(let error): self = .forbidden(error.message)
    case .tooManyJoins: self = .tooManyJoins
    }
  }
}
