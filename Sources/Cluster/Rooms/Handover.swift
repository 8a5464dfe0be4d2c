import RoomProtocol

/// A room that its owner gives to another member: the right to claim it.
///
/// The owner gives the room up before it offers it. The claim compares owner and fence, so a member whose claim is late changes
/// nothing once the owner has taken the room back.
public struct Handover: Sendable, Hashable {
  public var room: RoomName
  public var owner: Incarnation
  public var fence: Int64

  public init(room: RoomName, owner: Incarnation, fence: Int64) {
    self.room = room
    self.owner = owner
    self.fence = fence
  }
}
