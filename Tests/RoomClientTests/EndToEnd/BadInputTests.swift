import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomClient

/// Invalid calls of clients. Each is rejected with the specified code, changes nothing, and no other participant notices.
@Suite("Bad input over the wire", .serialized, .timeLimit(.minutes(2)))
struct BadInputTests {
  private func onStage(_ test: (Cast) async throws -> Void) async throws {
    try await RoomClientTests.onStage({ configuration in
      configuration.autoCreateRooms = false
      configuration.limits.messagesPerSecond = 1000
    }) { stage in
      let cast = try await Cast(stage)
      try await test(cast)
      for client in cast.everybody {
        #expect(try await client.ask("ping") == nil)
        client.close()
      }
    }
  }

  @Test("a call without the needed grant is rejected, with and without a PK") func lacksGrants() async throws {
    let user = #"{"userId":"hal"}"#
    let pk = #"{"pkId":"none"}"#
    let calls = [
      ("publish", #"{"sdp":"","tracks":[]}"#), ("kick", user),
      ("startForward", #"{"jobId":"j","publishUrl":"rtmp://127.0.0.1/a/b"}"#),
      ("startMerge", #"{"jobId":"j","publishUrl":"rtmp://127.0.0.1/a/b","layouts":[]}"#),
      ("setLayouts", #"{"jobId":"j","layouts":[]}"#), ("stopJob", #"{"jobId":"j"}"#), ("takeSeat", "{}"),
      ("takeSeat", #"{"index":0}"#), ("kickFromSeat", user), ("setSeat", #"{"index":1,"locked":true}"#),
      ("setSeat", #"{"index":0,"video":false}"#), ("setLayout", #"{"type":"gridFour"}"#), ("acceptRequest", user),
      ("rejectRequest", user), ("inviteToSeat", #"{"userId":"ada"}"#), ("cancelInvitation", user),
      ("invitePK", #"{"room":"b"}"#), ("cancelPK", pk), ("acceptPK", pk), ("rejectPK", pk), ("matchPK", "{}"),
      ("cancelMatch", "{}"), ("mutePKPeer", #"{"muted":true}"#),
      ("setPKScore", #"{"score":5}"#), ("quitPK", "{}"), ("setAttributes", #"{"set":{"a":"b"}}"#),
    ]
    try await onStage { cast in
      for (method, params) in calls { try await cast.refuse(.noPermission, cast.lis, method, params) }
      try await cast.beginPK("bridge")
      for (method, params) in calls + [("resumePK", "{}")] { try await cast.refuse(.noPermission, cast.lis, method, params) }
      try await cast.endPK()
      // A hidden participant can't do anything that would show it, and one that may not subscribe receives nothing.
      let ghost = try await RawClient.join(cast.stage, "ghost", grants: [.publish, .subscribe, .hidden])
      for (method, params) in [
        ("publish", #"{"sdp":"","tracks":[]}"#), ("takeSeat", "{}"), ("requestSeat", "{}"),
        ("sendMessage", #"{"kind":"text","text":"boo"}"#),
      ] { try await cast.refuse(.noPermission, ghost, method, params) }
      ghost.close()
      let deaf = try await RawClient.join(cast.stage, "deaf", grants: [.publish])
      for method in ["subscribe", "resubscribe"] { try await cast.refuse(.noPermission, deaf, method) }
      deaf.close()
    }
  }

  @Test("calls before the join, a second join, and calls after leaving") func outOfOrder() async throws {
    try await onStage { cast in
      for (method, params) in [
        ("takeSeat", "{}"), ("leave", "{}"), ("sendMessage", #"{"kind":"text","text":"hello"}"#), ("quitPK", "{}"),
        ("setAttributes", #"{"set":{"a":"b"}}"#),
      ] {
        let stranger = try await RawClient(cast.stage)
        try await cast.refuse(.notInRoom, stranger, method, params)
        try await stranger.closed()
      }
      try await cast.refuse(
        .joinFailed, cast.ada, "join", #"{"version":1,"token":"\#(try cast.stage.token("ada"))"}"#)
      // A participant that has left gets no more answers, and its session has ended.
      let gone = try await RawClient.join(cast.stage, "gone")
      try await cast.done(gone, "takeSeat")
      try await cast.done(gone, "leave")
      _ = try? await gone.ask("sendMessage", #"{"kind":"text","text":"still here"}"#)
      try await gone.closed()
      #expect(try await cast.stage.state().messages.isEmpty)
      #expect(try await cast.stage.state().seats.map(\.userId) == ["hal", nil])
      let again = try await RawClient(cast.stage)
      #expect(try await again.join(token: try cast.stage.token("gone"), resuming: gone) == nil)
      try await cast.refuse(.wrongMicState, again, "leaveSeat")
      again.close()
    }
  }

  @Test("a call that repeats or precedes its action is rejected") func twice() async throws {
    try await onStage { cast in
      let (hal, ada, lis, bob) = (cast.hal, cast.ada, cast.lis, cast.bob)
      try await cast.refuse(.alreadySeated, hal, "takeSeat")
      try await cast.refuse(.wrongMicState, ada, "leaveSeat")
      try await cast.refuse(.acceptFailed, ada, "acceptInvitation")
      try await cast.refuse(.rejectFailed, ada, "rejectInvitation")
      try await cast.done(ada, "takeSeat")
      try await cast.refuse(.alreadySeated, ada, "takeSeat", #"{"index":1}"#)
      try await cast.refuse(.alreadySeated, ada, "requestSeat")
      try await cast.refuse(.alreadySeated, hal, "inviteToSeat", #"{"userId":"ada"}"#)
      try await cast.done(ada, "leaveSeat")
      try await cast.refuse(.wrongMicState, ada, "leaveSeat")
      try await cast.refuse(.wrongMicState, hal, "kickFromSeat", #"{"userId":"ada"}"#)
      try await cast.done(lis, "requestSeat")
      try await cast.refuse(.requestFailed, lis, "requestSeat")
      try await cast.done(hal, "rejectRequest", #"{"userId":"lis"}"#)
      for (code, method) in [(ErrorCode.rejectFailed, "rejectRequest"), (.acceptFailed, "acceptRequest")] {
        try await cast.refuse(code, cast.eve, method, #"{"userId":"lis"}"#)
      }
      try await cast.refuse(.requestFailed, lis, "cancelRequest")
      try await cast.done(hal, "setLayout", #"{"type":"gridFour"}"#)
      try await cast.refuse(.sameLayout, cast.eve, "setLayout", #"{"type":"gridFour"}"#)
      try await cast.refuse(.noPermission, hal, "unpublish", #"{"userIds":["ada"]}"#)
      try await cast.refuse(.notInRoom, hal, "kick", #"{"userId":"nobody"}"#)
      try await cast.refuse(.cdnParameters, hal, "stopJob", #"{"jobId":"never"}"#)

      for method in ["quitPK", "resumePK"] { try await cast.refuse(.roomNotInPK, bob, method) }
      try await cast.done(hal, "invitePK", #"{"room":"b"}"#)
      guard case .changed(let change) = try await bob.event("pkInvited"), case .pkInvited(let invitation) = change.change else {
        throw DidNotHappen(what: "no invitation")
      }
      let id = #"{"pkId":"\#(invitation.pkId)"}"#
      try await cast.refuse(.pkInviteFailed, hal, "invitePK", #"{"room":"b"}"#)
      try await cast.refuse(.pkInviteFailed, bob, "invitePK", #"{"room":"hall"}"#)
      // One side can't make the calls of the other.
      try await cast.refuse(.pkAnswerFailed, hal, "acceptPK", id)
      try await cast.refuse(.pkCancelFailed, bob, "cancelPK", id)
      try await cast.done(bob, "rejectPK", id)
      _ = try await hal.event("pkInvitationEnded")
      for method in ["acceptPK", "rejectPK"] { try await cast.refuse(.pkAnswerFailed, bob, method, id) }
      try await cast.refuse(.pkCancelFailed, hal, "cancelPK", id)
    }
  }

  @Test("a room in a PK can't start another and keeps its anchor's seat; an ended PK can't be ended again") func duringPK()
    async throws
  {
    try await onStage { cast in
      try await cast.beginPK("bridge")
      try await cast.refuse(.roomInPK, cast.hal, "invitePK", #"{"room":"c"}"#)
      try await cast.refuse(.roomInPK, cast.bob, "acceptPK", #"{"pkId":"none"}"#)
      try await cast.refuse(.seatTaken, cast.eve, "takeSeat", #"{"index":0}"#)
      try await cast.refuse(.pkBeginFailed, cast.hal, "resumePK")
      try await cast.endPK()
      try await cast.refuse(.roomNotInPK, cast.hal, "quitPK")
      try await cast.refuse(.roomNotInPK, cast.bob, "setPKScore", #"{"score":1}"#)
    }
  }

  @Test("locked seats and invalid seat indexes") func seatNumbers() async throws {
    try await onStage { cast in
      for index in ["-2", "2", "9223372036854775807", "-9223372036854775808"] {
        for (client, method, more) in [
          (cast.ada, "takeSeat", ""), (cast.lis, "requestSeat", ""), (cast.hal, "inviteToSeat", #","userId":"ada""#),
          (cast.hal, "setSeat", #","locked":true"#),
        ] { try await cast.refuse(.seatIndexInvalid, client, method, #"{"index":\#(index)\#(more)}"#) }
      }
      try await cast.refuse(.seatIndexInvalid, cast.hal, "setSeat", #"{"index":-1,"locked":true}"#)
      for index in ["1.5", #""1""#, "[1]", "18446744073709551616"] {
        try await cast.refuse(.unknownMessage, cast.ada, "takeSeat", #"{"index":\#(index)}"#)
      }
      try await cast.done(cast.lis, "requestSeat", #"{"index":1}"#)
      try await cast.done(cast.hal, "setSeat", #"{"index":1,"locked":true}"#)
      try await cast.refuse(.seatLocked, cast.ada, "takeSeat", #"{"index":1}"#)
      try await cast.refuse(.seatLocked, cast.ada, "takeSeat")
      try await cast.refuse(.seatLocked, cast.hal, "acceptRequest", #"{"userId":"lis"}"#)
    }
  }

  @Test("51 attributes, eleven in one call, and values that are too long") func attributes() async throws {
    func set(_ keys: Range<Int>) -> String {
      #"{"set":{\#(keys.map { #""k\#($0)":"v""# }.joined(separator: ","))}}"#
    }
    try await onStage { cast in
      try await cast.refuse(.updateRoomFailed, cast.hal, "setAttributes", set(0..<11))
      for start in stride(from: 0, to: 50, by: 10) { try await cast.done(cast.hal, "setAttributes", set(start..<start + 10)) }
      try await cast.refuse(.updateRoomFailed, cast.hal, "setAttributes", set(50..<51))
      // Existing attributes can change, but no further one can be added.
      try await cast.refuse(.updateRoomFailed, cast.hal, "setAttributes", set(45..<51))
      for params in [
        "{}", #"{"set":{"":"v"}}"#, #"{"remove":[""]}"#, #"{"set":{"k1":"\#(String(repeating: "v", count: 70_000))"}}"#,
      ] { try await cast.refuse(.updateRoomFailed, cast.hal, "setAttributes", params) }
      #expect(try await cast.stage.state().attributes.count == 50)
    }
  }

  @Test("messages that are too long; after one of 1 MiB the server disconnects the sender, which can reconnect") func messages()
    async throws
  {
    func custom(_ bytes: Int) -> String { #"{"kind":"custom","type":"t","data":"\#(String(repeating: "1", count: bytes))"}"# }
    try await onStage { cast in
      let big = try await RawClient.join(cast.stage, "big")
      try await cast.refuse(.messageFailed, big, "sendMessage", custom(65_537))
      try await cast.refuse(
        .messageFailed, big, "sendMessage", #"{"kind":"text","text":"\#(String(repeating: "a", count: 4097))"}"#)
      try await cast.done(big, "sendMessage", custom(65_536))
      try await cast.done(big, "takeSeat")
      let before = try await cast.stage.state()
      for other in cast.everybody { _ = try await other.heard() }
      big.say("sendMessage", custom(1 << 20))
      #expect(try await big.nextError()?.code == .unknownMessage)
      try await big.closed()
      #expect(try await cast.stage.state() == before)
      for other in cast.everybody {
        let heard = try await other.heard()
        #expect(heard.allSatisfy { $0 == "connectionChanged" }, "\(heard)")
      }
      let back = try await RawClient(cast.stage)
      #expect(try await back.join(token: try cast.stage.token("big"), resuming: big) == nil)
      #expect(try await cast.stage.state().seats.map(\.userId) == ["hal", "big"])
      try await cast.done(back, "sendMessage", #"{"kind":"text","text":"I am back"}"#)
      back.close()
    }
  }
}
