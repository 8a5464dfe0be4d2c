import Foundation
import RoomLiveOrigin
import RoomProtocol
import RoomServer
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomWebhooks

@Suite("Rotating the API key", .timeLimit(.minutes(1)))
struct KeyRotationTests {
  private static let secrets = ["old": "the old secret, of at least 32 bytes", "new": "the new secret, of at least 32 bytes"]

  /// The answers of a server with one or both keys to tokens of the old and of the new one.
  private struct Answers: Equatable {
    var api: [String: Int] = [:]
    var join: [String: ErrorCode] = [:]
  }

  private static func answers(ofServerWith names: [String]) async throws -> Answers {
    let keys = try TokenKeys(secrets)
    var answers = Answers()
    try await TestServer.with {
      $0.keys = secrets.filter { names.contains($0.key) }.mapValues { Secret($0) }
    } _: { server in
      let expires = Date(timeIntervalSinceNow: 60)
      for key in ["old", "new"] {
        let api = try keys.sign(APIToken(key: key, expires: expires))
        answers.api[key] = try await server.request("GET", "/v1/rooms", token: api).status
        let token = RoomToken(room: "room", user: UserID(key), grants: [.subscribe], expires: expires)
        let client = try await server.connect()
        do {
          try await client.join(try keys.sign(token, key: key))
          answers.join[key] = .ok
        } catch let error as RoomError {
          answers.join[key] = error.code
        }
      }
    }
    return answers
  }

  @Test("tokens of the old and the new key are valid while both are active; those of a removed key are rejected")
  func rotation() async throws {
    #expect(
      try await Self.answers(ofServerWith: ["old", "new"])
        == Answers(api: ["old": 200, "new": 200], join: ["old": .ok, "new": .ok]))
    #expect(
      try await Self.answers(ofServerWith: ["new"])
        == Answers(api: ["old": 401, "new": 200], join: ["old": .tokenInvalid, "new": .ok]))
  }

  @Test("webhooks are signed with the signing key, whatever its name", arguments: ["old", "new"])
  func signing(key: String) async throws {
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    receiver.answer(204)
    try await TestServer.with {
      $0.keys = Self.secrets.mapValues { Secret($0) }
      $0.signingKey = key
      $0.webhooks.urls = [receiver.url]
    } _: { server in
      let api = try TokenKeys(Self.secrets).sign(APIToken(key: "old", expires: Date(timeIntervalSinceNow: 60)))
      #expect(try await server.request("POST", "/v1/rooms", token: api, json: #"{"name":"room"}"#).status == 201)
      let delivery = try await eventually("the first event") { receiver.taken.first }
      let time = try #require(Int64(delivery.signature.dropFirst(2).prefix { $0 != "," }))
      let secret = try #require(Self.secrets[key])
      #expect(delivery.signature == WebhookSignature.sign(delivery.body, secret: secret, at: time))
    }
    await receiver.stop()
  }

  @Test("the signing key is listed first")
  func order() async throws {
    #expect(try TokenKeys(Self.secrets).keys == ["new", "old"])
    #expect(try TokenKeys(Self.secrets, signing: "old").keys == ["old", "new"])
  }
}
