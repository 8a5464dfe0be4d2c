import RoomProtocol

extension RoomState {
  /// The next time that something expires; nil if nothing is pending. Milliseconds since 1970.
  public var nextDeadline: Int64? {
    if isClosed { return nil }
    var soonest = requests.deadline
    for other in [invitations.deadline, pk.deadline, search?.deadline] {
      if let other, other < soonest ?? .max { soonest = other }
    }
    return soonest
  }

  /// Advances the clock and ends what has expired, in order of expiry. An earlier time has no effect.
  /// - Parameter now: milliseconds since 1970.
  public mutating func advance(to now: Int64) {
    while let due = nextDeadline, due <= now {
      clock = max(clock, due)
      if let request = requests.first, request.expiresAt <= clock {
        endRequest(of: request.userId, .timedOut)
      } else if let invitation = invitations.first, invitation.expiresAt <= clock {
        endInvitation(of: invitation.userId, .timedOut)
      } else if let search, search.deadline <= clock {
        renewSearch()
      } else {
        expirePK()
      }
    }
    clock = max(clock, now)
  }
}
