import RoomProtocol

/// A result of a call or of advancing the clock.
public enum Output: Hashable, Sendable {
  /// To send to the members of the audience that are in the room.
  case change(NumberedChange, to: Audience)
  /// To be performed by the server.
  case effect(Effect)
  /// To deliver to the room in `to`. If that room does not exist, deliver `PKMessage.bounced` back.
  case peer(PKMessage)
}

/// An action for the rest of the server.
public enum Effect: Hashable, Sendable {
  /// The seat's user may publish and receives the separate tracks. The user's audio is mixed unless the seat is muted or its
  /// `audio` is off; its video is shown if `video` is on.
  case seated(SeatInfo)
  /// The user's tracks are unpublished, and the user receives the mixed stream.
  case unseated(userId: UserID, index: Int)
  /// The switches of an occupied seat changed.
  case switched(SeatInfo)
  /// The layout of the mixed picture changed.
  case arranged(Layout)
  /// This room's broadcast becomes the split screen, its own side on the left. With `move` the inviting anchor receives a PK
  /// token.
  case pkBegan(PKInfo)
  /// An anchor's presence, a mute state or a score changed.
  case pkChanged(PKInfo)
  /// The room enters the queue of those that look for an opponent, or confirms its place in it.
  /// - `after`: the PK of the last match, which did not begin.
  case enterMatching(PKTicket, after: PKID?)
  case leaveMatching(TicketID)
  /// The broadcast returns to the room's own picture; with `move` the guest returns to its own room.
  case pkEnded(PKInfo, PKEndReason)
}
