import RoomProtocol

extension RoomState {
  /// When something ends by itself; nil where nothing waits. Milliseconds since 1970.
  public var nextDeadline: Int64? {
    if isClosed { return nil }
    var soonest = requests.deadline
    for other in [invitations.deadline, pk.deadline] {
      if let other, other < soonest ?? .max { soonest = other }
    }
    return soonest
  }

  /// It is `now`: what was to end until then ends, in its order. Time does not go back.
  /// - Parameter now: milliseconds since 1970.
  public mutating func advance(to now: Int64) {
    while let due = nextDeadline, due <= now {
      clock = max(clock, due)
      if let request = requests.first, request.expiresAt <= clock {
        endRequest(of: request.userId, .timedOut)
      } else if let invitation = invitations.first, invitation.expiresAt <= clock {
        endInvitation(of: invitation.userId, .timedOut)
      } else {
        expirePK()
      }
    }
    clock = max(clock, now)
  }
}
