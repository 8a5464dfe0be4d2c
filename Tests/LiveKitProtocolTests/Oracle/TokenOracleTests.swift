import Foundation
import RoomLiveKitProtocol
import RoomPeers
import RoomToken
import Testing

@Suite("LiveKit's tokens: livekit-api as the oracle", .enabled(if: Oracle.isInstalled))
struct TokenOracleTests {
  private static let secret = "0123456789abcdef0123456789abcdef"

  private struct Webhook: Encodable {
    var body: String
    var authorization: String
  }

  private struct Question: Encodable {
    var key = "key"
    var secret = TokenOracleTests.secret
    var tokens: [String] = []
    var webhooks: [Webhook] = []
  }

  private struct Answer: Decodable {
    struct Claims: Decodable, Equatable {
      struct Video: Decodable, Equatable {
        var room_create: Bool?
        var room_join: Bool?
        var room: String?
        var destination_room: String?
        var can_publish: Bool?
        var can_subscribe: Bool?
        var can_publish_data: Bool?
        var can_publish_sources: [String]?
        var can_update_own_metadata: Bool?
        var hidden: Bool?
      }
      var identity: String
      var name: String
      var kind: String
      var metadata: String
      var attributes: [String: String]
      var video: Video
    }
    var claims: [Claims]
    var events: [String]
    var made: [String: String]
  }

  private func ask(_ question: Question) async throws -> Answer {
    try await Oracle.run("tokens.py", question)
  }

  @Test("tokens of livekit-api are accepted with all of their grants") func accepted() async throws {
    let keys = try TokenKeys(["key": Self.secret])
    let made = try await ask(Question()).made

    let full = try keys.verifyLiveKit(try #require(made["full"]))
    #expect(full.key == "key" && full.identity?.text == "ann+x@example.org" && full.name == "Ann 安")
    #expect(full.metadata == #"{"a":1}"# && full.attributes == ["seat": "2", "é": ""] && full.kind == "agent")
    var grants = VideoGrants()
    for flag in [
      \VideoGrants.roomCreate, \.roomList, \.roomRecord, \.roomAdmin, \.roomJoin, \.canUpdateOwnMetadata, \.ingressAdmin,
      \.hidden, \.recorder, \.agent, \.canManageAgentSession, \.canSubscribeMetrics,
    ] { grants[keyPath: flag] = true }
    grants.room = ForeignName("großer Raum 房")
    grants.destinationRoom = ForeignName("other")
    (grants.canSubscribe, grants.canPublishData) = (false, false)
    grants.canPublishSources = [.camera, .screenShareAudio]
    #expect(full.grants == grants)
    #expect(try full.roomToken.grants == [.publish, .admin, .relay, .hidden])

    let plain = try keys.verifyLiveKit(try #require(made["plain"]))
    #expect(try plain.roomToken.room == "demo" && plain.roomToken.user == "ann")
    #expect(try plain.roomToken.grants == [.publish, .subscribe] && plain.grants.canPublishData)
    #expect(abs(plain.expires.timeIntervalSinceNow - 6 * 3600) < 60)

    let server = try keys.verifyLiveKit(try #require(made["server"]))
    #expect(server.grants.roomList && server.identity == nil && !server.grants.roomJoin)
    #expect(throws: TokenError.wrongPurpose) { try server.roomToken }
    for name in ["full", "plain", "server", "expired"] {
      let token = try #require(made[name])
      #expect(keys.isLiveKitToken(token), "\(name)")
    }
  }

  @Test("tokens of livekit-api that are too old, or of another key or secret, are refused") func refused() async throws {
    let keys = try TokenKeys(["key": Self.secret])
    let made = try await ask(Question()).made
    #expect(throws: TokenError.expired) { try keys.verifyLiveKit(try #require(made["expired"])) }
    #expect(throws: Never.self) { try keys.verifyLiveKit(try #require(made["just expired"])) }
    #expect(throws: TokenError.wrongSignature) { try keys.verifyLiveKit(try #require(made["other secret"])) }
    #expect(throws: TokenError.unknownKey("stranger")) { try keys.verifyLiveKit(try #require(made["other key"])) }
    #expect(throws: TokenError.malformed("its header has no kid")) { try keys.verify(try #require(made["plain"])) }
    #expect(throws: TokenError.self) { try keys.verifyAPI(try #require(made["full"])) }
  }

  @Test("this server's tokens and webhooks are accepted by livekit-api") func own() async throws {
    let keys = try TokenKeys(["key": Self.secret])
    var token = LiveKitToken(
      key: "key", identity: ForeignName("ann 安"), expires: Date(timeIntervalSinceNow: 600), notBefore: Date())
    token.name = "Ann"
    token.metadata = "m"
    token.attributes = ["seat": "2"]
    token.kind = "ingress"
    token.grants.roomJoin = true
    token.grants.room = ForeignName("a room")
    token.grants.destinationRoom = ForeignName("b room")
    token.grants.canPublishData = false
    token.grants.canPublishSources = [.microphone]
    token.grants.canUpdateOwnMetadata = true
    var question = Question()
    question.tokens = [try keys.sign(token)]
    let body = LiveKit.WebhookEvent { $0.event = "room_started" }.json(.webhook)
    question.webhooks = [
      Webhook(body: String(decoding: body, as: UTF8.self), authorization: try keys.liveKitAuthorization(of: body, key: "key"))
    ]
    let answer = try await ask(question)
    #expect(answer.events == ["room_started"])
    let video = Answer.Claims.Video(
      room_join: true, room: "a room", destination_room: "b room", can_publish: true, can_subscribe: true,
      can_publish_data: false, can_publish_sources: ["microphone"], can_update_own_metadata: true)
    #expect(
      answer.claims == [
        Answer.Claims(
          identity: "ann 安", name: "Ann", kind: "ingress", metadata: "m", attributes: ["seat": "2"], video: video)
      ])
  }
}
