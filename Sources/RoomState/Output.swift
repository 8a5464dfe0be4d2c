import RoomProtocol

/// What comes of a call or of time.
public enum Output: Hashable, Sendable {
  /// To be told to those of the audience that are in the room.
  case change(NumberedChange, to: Audience)
  /// To be carried out.
  case effect(Effect)
  /// To be carried to the room that it names; where that room does not exist, `PKMessage.bounced` is the answer.
  case peer(PKMessage)
}

/// What the rest of the server has to do.
public enum Effect: Hashable, Sendable {
  /// The seat's user may publish now and gets the separate tracks. It is heard where the seat is neither muted nor its `audio`
  /// switched off, and seen where its `video` is on.
  case seated(SeatInfo)
  /// The user's tracks are withdrawn; it gets the mixed stream.
  case unseated(userId: UserID, index: Int)
  /// The switches of a seat that somebody sits on changed.
  case switched(SeatInfo)
  /// The mixed picture has another shape.
  case arranged(Layout)
  /// This room's broadcast becomes the split screen, its own side on the left. With `move` the inviting anchor gets a PK token.
  case pkBegan(PKInfo)
  /// Who is there or heard changed, or the score.
  case pkChanged(PKInfo)
  /// The broadcast turns back; with `move` the guest goes home.
  case pkEnded(PKInfo, PKEndReason)
}
