import RoomProtocol
import RoomState
import Testing

@testable import RoomEngine

@Suite("The event of an invitation to a PK, in virtual time")
struct PKInvitationEventTests {
  /// Room a with its host ann, and room b with its host ben. Each has another admin and a listener.
  private struct Scene {
    var a = VirtualRoom()
    var b = VirtualRoom(name: "b")

    init() {
      let admin: Grants = [.publish, .subscribe, .admin]
      for user in ["ann", "amy"] as [UserID] { a.join(user, admin) }
      for user in ["ben", "bea"] as [UserID] { b.join(user, admin) }
      a.join("eve", [.subscribe])
      b.join("eva", [.subscribe])
      _ = (a.settle(), b.settle())
    }

    /// Lets room a invite room b. Returns the events that the clients of each room receive, by user.
    mutating func received(
      after invite: (inout VirtualRoom) throws -> Void
    ) throws -> (a: [UserID: PKInvitation], b: [UserID: PKInvitation]) {
      try invite(&a)
      let outputs = a.settle()
      for case .peer(.message(let message)) in outputs where message.to == "b" { b.core.receive(message) }
      return (Self.invitations(in: outputs, of: a), Self.invitations(in: b.settle(), of: b))
    }

    private static func invitations(in outputs: [RoomOutput], of room: VirtualRoom) -> [UserID: PKInvitation] {
      var invitations: [UserID: PKInvitation] = [:]
      for case .broadcast(.changed(let change), .these(let connections)) in outputs {
        guard case .pkInvited(let invitation) = change.change else { continue }
        for user in connections.compactMap(room.user) { invitations[user] = invitation }
      }
      return invitations
    }
  }

  @Test("the admins of both rooms read which room and which user invited") func byUser() throws {
    var scene = Scene()
    let received = try scene.received { try $0.call(.pk(.invite(PKInviteParams(room: "b"))), by: "amy") }
    #expect(Set(received.a.keys) == ["ann", "amy"])
    #expect(Set(received.b.keys) == ["ben", "bea"])
    for invitation in [received.a, received.b].flatMap(\.values) {
      #expect(invitation.from == PKSide(room: "a", userId: "ann"))
      #expect(invitation.to.room == "b")
      #expect(invitation.by == "amy")
    }
  }

  @Test("an invitation by the API names the room that invited, and no user") func byAPI() throws {
    var scene = Scene()
    let received = try scene.received { _ = try $0.core.perform(.pk(.invite(PKInviteParams(room: "b")))) }
    for invitation in [received.a["ann"], received.b["ben"]] {
      #expect(invitation?.from == PKSide(room: "a", userId: "ann"))
      #expect(invitation?.by == "")
    }
  }
}
