import RoomClient
import RoomProtocol

/// Accepts every PK until the room is closed.
func answerInvitations(_ room: Room) async throws {
  for await event in room.pk.events() {
    guard case .invited(let invitation) = event, invitation.to.room == room.name else { continue }
    do {
      try await room.pk.accept(invitation.pkId)
    } catch let error as RoomError where error.code == .pkAnswerFailed || error.code == .roomInPK {
      print("too late: \(error.message)")
    }
  }
}

/// Holds a PK with the anchor of another room; both stay in their rooms. Returns the room when the PK has ended.
func battle(_ room: Room, against other: RoomName) async throws -> Room {
  let events = room.events()
  let invited = try await room.pk.invite(in: other)
  for await event in events {
    switch event {
    case .pkInvitationEnded(let end) where end.pkId == invited.pkId && end.outcome != .accepted:
      print("no PK: \(end.outcome) \(end.reason ?? end.error?.message ?? "")")
      return room
    case .pkBegan(let pk): print("against \(pk.userId) of \(pk.room)")
    case .message(let message) where message.kind == .gift:
      // The app decides how much a gift counts.
      if let score = room.pk.current?.score { try await room.pk.setScore(score + (message.count ?? 1)) }
    case .pkChanged(let pk): print("\(pk.score) : \(pk.peerScore)\(pk.peerConnected ? "" : ", \(pk.userId) is away")")
    case .pkEnded(let end):
      print("\(end.score) : \(end.peerScore), \(end.reason)")
      return room
    default: break
    }
  }
  return room
}

/// Holds a PK for which this anchor moves into the other room. Returns the own room, joined again, when the PK has ended.
func battleAway(_ room: Room, against other: RoomName) async throws -> Room {
  let events = room.pk.events()
  let invited = try await room.pk.invite(in: other, mode: .move)
  for await event in events {
    if case .invitationEnded(let end) = event, end.pkId == invited.pkId, end.outcome != .accepted { return room }
    if case .began(let pk) = event, pk.pkId == invited.pkId { break }
  }
  let away = try await room.pk.move()
  for await event in away.pk.events() {
    if case .ended = event { break }
  }
  return try await away.pk.returnHome()
}
