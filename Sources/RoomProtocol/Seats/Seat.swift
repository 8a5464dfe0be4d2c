/// A numbered place in the room's layout; index 0 is the host's.
public struct SeatInfo: Codable, Sendable, Hashable {
  public var index: Int
  /// Who sits on it; absent where nobody does.
  public var userId: UserID?
  /// Nobody may take it; who sits on it may stay.
  public var locked: Bool
  /// Whoever sits on it is not heard.
  public var muted: Bool
  /// Whether its user shows a picture; true where nobody sits.
  public var video: Bool
  /// Whether its user speaks; true where nobody sits.
  public var audio: Bool

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

/// A user that asks for a seat.
public struct SeatRequest: Codable, Sendable, Hashable {
  public var userId: UserID
  /// The seat it would like; −1 for any.
  public var index: Int
  /// Milliseconds since 1970.
  public var at: Int64
  /// When it ends by itself; milliseconds since 1970.
  public var expiresAt: Int64

  public init(userId: UserID, index: Int, at: Int64, expiresAt: Int64) {
    self.userId = userId
    self.index = index
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// A user that was asked to take a seat.
public struct SeatInvitation: Codable, Sendable, Hashable {
  public var userId: UserID
  /// The seat it is to get; −1 for any.
  public var index: Int
  /// Who invited; empty for the API.
  public var by: UserID
  /// Milliseconds since 1970.
  public var at: Int64
  /// When it ends by itself; milliseconds since 1970.
  public var expiresAt: Int64

  public init(userId: UserID, index: Int, by: UserID, at: Int64, expiresAt: Int64) {
    self.userId = userId
    self.index = index
    self.by = by
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// What became of a request or an invitation.
public enum SeatOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// The user sits now.
  case accepted
  case rejected
  /// By who made it; of an invitation, also by an admin.
  case cancelled
  case timedOut
  /// The user came to a seat by another way.
  case seated
  /// The user left the room.
  case left
  case roomClosed
}

/// Why a seat is not as it was.
public enum SeatCause: String, Codable, Sendable, Hashable, CaseIterable {
  /// The user took it.
  case taken
  /// The user's request was accepted.
  case requested
  /// The user accepted an invitation.
  case invited
  /// The host's seat was free when the user joined, or came back to a PK.
  case joined
  /// The user left it.
  case left
  /// The user was taken off it.
  case kicked
  /// The user left the room.
  case gone
  /// A switch was set: lock, mute, video or audio.
  case switched
}

public struct SeatChangedData: Codable, Sendable, Hashable {
  /// As it is now.
  public var seat: SeatInfo
  public var cause: SeatCause
  /// Who came or went; absent for `switched`.
  public var userId: UserID?
  /// Who did it; empty for the API.
  public var by: UserID

  public init(seat: SeatInfo, cause: SeatCause, userId: UserID? = nil, by: UserID) {
    self.seat = seat
    self.cause = cause
    self.userId = userId
    self.by = by
  }
}

public struct LayoutChangedData: Codable, Sendable, Hashable {
  /// With each seat's frame.
  public var layout: Layout
  /// All seats as they are now.
  public var seats: [SeatInfo]
  /// Who had to leave a seat.
  public var off: [UserID]
  /// Who did it; empty for the API.
  public var by: UserID

  public init(layout: Layout, seats: [SeatInfo], off: [UserID], by: UserID) {
    self.layout = layout
    self.seats = seats
    self.off = off
    self.by = by
  }
}

/// A request or an invitation is over.
public struct SeatEndedData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var outcome: SeatOutcome
  /// The seat that the user got, where it was accepted.
  public var index: Int?
  /// Who decided; empty for the API and where nobody did.
  public var by: UserID

  public init(userId: UserID, outcome: SeatOutcome, index: Int? = nil, by: UserID = "") {
    self.userId = userId
    self.outcome = outcome
    self.index = index
    self.by = by
  }
}
