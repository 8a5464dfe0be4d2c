/// A numbered position in the room's layout. Seat 0 is the host's.
public struct SeatInfo: Codable, Sendable, Hashable {
  /// The seat's index in the layout, from 0.
  public var index: Int
  /// The user on the seat; nil if the seat is empty.
  public var userId: UserID?
  /// Whether the seat is locked. No user can take a locked seat; a user already on it may stay.
  public var locked: Bool
  /// Whether an admin muted the seat: the user on it sends no audio.
  public var muted: Bool
  /// Whether the user's video is on; true if the seat is empty.
  public var video: Bool
  /// Whether the user's audio is on; true if the seat is empty.
  public var audio: Bool

  /// Creates the description of a seat.
  public init(
    index: Int, userId: UserID? = nil, locked: Bool = false, muted: Bool = false, video: Bool = true, audio: Bool = true
  ) {
    self.index = index
    self.userId = userId
    self.locked = locked
    self.muted = muted
    self.video = video
    self.audio = audio
  }
}

/// A pending request of a user for a seat.
public struct SeatRequest: Codable, Sendable, Hashable {
  /// The user's id.
  public var userId: UserID
  /// The requested seat; −1 for any.
  public var index: Int
  /// The time of creation, in milliseconds since 1970.
  public var at: Int64
  /// The time of the timeout, in milliseconds since 1970.
  public var expiresAt: Int64

  /// Creates a request.
  public init(userId: UserID, index: Int, at: Int64, expiresAt: Int64) {
    self.userId = userId
    self.index = index
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// A pending invitation of a user to a seat.
public struct SeatInvitation: Codable, Sendable, Hashable {
  /// The user's id.
  public var userId: UserID
  /// The offered seat; −1 for any.
  public var index: Int
  /// The user who sent the invitation; empty for a REST API call.
  public var by: UserID
  /// The time of creation, in milliseconds since 1970.
  public var at: Int64
  /// The time of the timeout, in milliseconds since 1970.
  public var expiresAt: Int64

  /// Creates an invitation.
  public init(userId: UserID, index: Int, by: UserID, at: Int64, expiresAt: Int64) {
    self.userId = userId
    self.index = index
    self.by = by
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// The outcome of a seat request or invitation.
public enum SeatOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// Accepted: the user is on the seat.
  case accepted
  /// Rejected by an admin or by the invited user.
  case rejected
  /// Cancelled by the user who made it; an invitation also by an admin.
  case cancelled
  /// Nobody answered within 30 s.
  case timedOut
  /// The user took a seat in another way.
  case seated
  /// The user left the room.
  case left
  /// The room was closed.
  case roomClosed
}

/// The reason why a seat changed.
public enum SeatCause: String, Codable, Sendable, Hashable, CaseIterable {
  /// The user took the seat.
  case taken
  /// The user's request was accepted.
  case requested
  /// The user accepted an invitation.
  case invited
  /// The host's seat was free when the user joined or returned to a PK.
  case joined
  /// The user left the seat.
  case left
  /// The user was removed from the seat.
  case kicked
  /// The user left the room.
  case gone
  /// A switch was set: lock, mute, video or audio.
  case switched
}

/// The data of a `seatChanged` event.
public struct SeatChangedData: Codable, Sendable, Hashable {
  /// The seat after the change.
  public var seat: SeatInfo
  /// The reason for the change.
  public var cause: SeatCause
  /// The user who took or left the seat; nil for `switched`.
  public var userId: UserID?
  /// The user who made the change; empty for a REST API call.
  public var by: UserID

  /// Creates the data of the event.
  public init(seat: SeatInfo, cause: SeatCause, userId: UserID? = nil, by: UserID) {
    self.seat = seat
    self.cause = cause
    self.userId = userId
    self.by = by
  }
}

/// The data of a `layoutChanged` event.
public struct LayoutChangedData: Codable, Sendable, Hashable {
  /// The new layout, with each seat's frame.
  public var layout: Layout
  /// All seats after the change.
  public var seats: [SeatInfo]
  /// The users who lost their seats.
  public var off: [UserID]
  /// The user who made the change; empty for a REST API call.
  public var by: UserID

  /// Creates the data of the event.
  public init(layout: Layout, seats: [SeatInfo], off: [UserID], by: UserID) {
    self.layout = layout
    self.seats = seats
    self.off = off
    self.by = by
  }
}

/// The data of a `seatRequestEnded` or `seatInvitationEnded` event.
public struct SeatEndedData: Codable, Sendable, Hashable {
  /// The user's id.
  public var userId: UserID
  /// The outcome.
  public var outcome: SeatOutcome
  /// The seat that the user got; nil unless the outcome is `accepted`.
  public var index: Int?
  /// The user who decided; empty for a REST API call and if no user did.
  public var by: UserID

  /// Creates the data of the event.
  public init(userId: UserID, outcome: SeatOutcome, index: Int? = nil, by: UserID = "") {
    self.userId = userId
    self.outcome = outcome
    self.index = index
    self.by = by
  }
}
