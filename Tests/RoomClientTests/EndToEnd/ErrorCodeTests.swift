import Foundation
import RoomProtocol
import RoomServer
import Testing

@testable import RoomClient

/// Every error code over the wire, as `api/errors.md` lists them.
@Suite("Error codes", .serialized, .timeLimit(.minutes(2)))
struct ErrorCodeTests {
  private typealias Case = (code: ErrorCode, play: @Sendable (Cast) async throws -> RoomError?)

  /// Each case leaves the state unchanged.
  private static let cases: [Case] = [
    (.unknownMessage, { try await $0.hal.ask("fly") }),
    (.unknownMessage, { try await $0.hal.ask("setPKScore", #"{"score":9007199254740992}"#) }),
    (.tokenInvalid, { try await RawClient($0.stage).join(token: "nonsense") }),
    (.noPermission, { try await $0.lis.ask("setAttributes", #"{"set":{"a":"b"}}"#) }),
    (.noPermission, { try await $0.ada.ask("takeSeat", #"{"index":0}"#) }),
    (
      .noSuchRoom,
      { cast in try await RawClient(cast.stage).join(token: try cast.stage.token("ada", room: "nowhere")) }
    ),
    (.roomInPK, { cast in try await whilePK(cast) { try await cast.hal.ask("invitePK", #"{"room":"c"}"#) } }),
    (.roomNotInPK, { try await $0.hal.ask("quitPK") }),
    (.roomNotInPK, { try await $0.hal.ask("mutePKPeer", #"{"muted":true}"#) }),
    (.seatTaken, { try await $0.eve.ask("takeSeat", #"{"index":0}"#) }),
    (
      .duplicateLogin,
      { cast in
        let first = try await RawClient.join(cast.stage, "twin")
        let second = try await RawClient.join(cast.stage, "twin")
        defer { second.close() }
        guard case .ended(let data) = try await first.event("ended") else { return nil }
        return data.error
      }
    ),
    (.roomNotFound, { try await $0.stage.api("GET", "/v1/rooms/nowhere").error }),
    (.joinFailed, { cast in try await RawClient(cast.stage).join(token: try cast.stage.token("ada"), version: 2) }),
    (.notInRoom, { try await $0.hal.ask("kick", #"{"userId":"nobody"}"#) }),
    (.notInRoom, { try await RawClient($0.stage).ask("takeSeat") }),
    (.publishFailed, { try await $0.ada.ask("publish", #"{"sdp":"nonsense","tracks":[]}"#) }),
    (.subscribeFailed, { try await $0.ada.ask("mute", #"{"trackId":"none","muted":true}"#) }),
    (.cdnParameters, { try await $0.hal.ask("startForward", #"{"jobId":"live","publishUrl":"nonsense"}"#) }),
    (.updateRoomFailed, { try await $0.hal.ask("setAttributes", #"{"set":{"":"b"}}"#) }),
    (
      .connectMicFailed,
      { cast in
        try await whilePK(cast, "move") {
          guard case .pkToken(let issued) = try await cast.hal.event("pkToken") else { return nil }
          let guest = try await RawClient(cast.stage)
          defer { guest.close() }
          if let error = try await guest.join(token: issued.token) { return error }
          return try await guest.ask("takeSeat")
        }
      }
    ),
    (.wrongMicState, { try await $0.lis.ask("leaveSeat") }),
    (.requestFailed, { try await $0.lis.ask("cancelRequest") }),
    (
      .requestsFull,
      { cast in
        #expect(try await cast.lis.ask("requestSeat") == nil)
        let error = try await cast.ada.ask("requestSeat")
        #expect(try await cast.lis.ask("cancelRequest") == nil)
        return error
      }
    ),
    (.alreadySeated, { try await $0.hal.ask("takeSeat") }),
    (.acceptFailed, { try await $0.hal.ask("acceptRequest", #"{"userId":"lis"}"#) }),
    (.rejectFailed, { try await $0.hal.ask("rejectRequest", #"{"userId":"lis"}"#) }),
    (.seatIndexInvalid, { try await $0.ada.ask("takeSeat", #"{"index":-2}"#) }),
    (
      .seatsFull,
      { cast in
        #expect(try await cast.ada.ask("takeSeat") == nil)
        let error = try await cast.eve.ask("takeSeat")
        #expect(try await cast.ada.ask("leaveSeat") == nil)
        return error
      }
    ),
    (
      .seatLocked,
      { cast in
        #expect(try await cast.hal.ask("setSeat", #"{"index":1,"locked":true}"#) == nil)
        let error = try await cast.ada.ask("takeSeat", #"{"index":1}"#)
        #expect(try await cast.hal.ask("setSeat", #"{"index":1,"locked":false}"#) == nil)
        return error
      }
    ),
    (.sameLayout, { try await $0.hal.ask("setLayout", #"{"type":"oneToOne"}"#) }),
    (.pkInviteFailed, { try await $0.hal.ask("invitePK", #"{"room":"hall"}"#) }),
    (.pkCancelFailed, { try await $0.hal.ask("cancelPK", #"{"pkId":"none"}"#) }),
    (.pkAnswerFailed, { try await $0.hal.ask("acceptPK", #"{"pkId":"none"}"#) }),
    (.pkBeginFailed, { cast in try await whilePK(cast) { try await cast.hal.ask("resumePK") } }),
    (.messageFailed, { try await $0.ada.ask("sendMessage", #"{"kind":"text"}"#) }),
  ]

  private static func whilePK(
    _ cast: Cast, _ mode: String = "bridge", _ play: () async throws -> RoomError?
  ) async throws -> RoomError? {
    try await cast.beginPK(mode)
    let error = try await play()
    try await cast.endPK()
    return error
  }

  @Test("every code listed as sent is sent with its name and a sentence, and changes nothing") func areSent()
    async throws
  {
    try await onStage({ configuration in
      configuration.autoCreateRooms = false
      configuration.rooms.rules.requests = 1
    }) { stage in
      let cast = try await Cast(stage)
      for (code, play) in Self.cases {
        let error = try await play(cast)
        #expect(error?.code == code, "\(code.rawValue) \(code.name): \(String(describing: error))")
        #expect(error?.name == code.name)
        #expect(error.map { $0.message.count > 10 } ?? true, "\(String(describing: error))")
      }
      // All participants are still in their rooms and can continue.
      for client in cast.everybody {
        #expect(try await client.ask("ping") == nil)
        client.close()
      }
    }
  }

  @Test("api/errors.md lists every code once, and marks the reserved ones") func areListed() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../api/errors.md").standardized
    let text = try String(contentsOf: path, encoding: .utf8)
    let parts = text.components(separatedBy: "**Reserved**")
    try #require(parts.count == 2)
    func listed(_ text: String) -> [String] {
      text.split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return cells.count >= 3 ? Int(cells[0]).map { "\($0) \(cells[1])" } : nil
      }
    }
    func named(_ codes: some Sequence<ErrorCode>) -> [String] {
      Set(codes).sorted { $0.rawValue < $1.rawValue }.map { "\($0.rawValue) \($0.name)" }
    }
    let sent = Set(Self.cases.map(\.code))
    let known = (1...500_000).map { ErrorCode(rawValue: $0) }.filter { $0.name != "unknown" }
    #expect(Set(listed(parts[0])) == Set(named(sent)))
    #expect(Set(listed(parts[1])) == Set(named(known.filter { !sent.contains($0) })))
    #expect(listed(text).count == known.count)
  }
}
