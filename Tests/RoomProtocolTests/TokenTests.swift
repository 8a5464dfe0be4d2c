import Foundation
import RoomProtocol
import Testing

@testable import RoomToken

@Suite struct TokenTests {
  private let secret = "0123456789abcdef0123456789abcdef"
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func keys(_ secrets: [String: String]? = nil) async throws -> TokenKeys {
    try TokenKeys(secrets ?? ["key": secret])
  }

  private func token(expires: Double = 60, notBefore: Double? = nil) -> RoomToken {
    RoomToken(
      room: "demo", user: "ann", grants: [.publish, .subscribe], expires: now + expires, notBefore: notBefore.map { now + $0 },
      id: "j1")
  }

  /// Returns a token with any header, claims and signature.
  private func forged(header: String, payload: String, signature: String = "AAAA") -> String {
    func part(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }
    return "\(part(header)).\(part(payload)).\(signature)"
  }

  @Test("a signed token is verified with all its claims")
  func roundTrip() async throws {
    let keys = try await keys()
    let token = token(notBefore: -5)
    let text = try keys.sign(token, key: "key")
    #expect(text.split(separator: ".").count == 3)
    #expect(try keys.verify(text, now: now) == token)
    #expect(try keys.verify(text, room: "demo", now: now) == token)
  }

  @Test("the claims match those of other languages: kid, iss, sub, room, exp, nbf, jti, grants")
  func claims() async throws {
    // Made with Python's hmac: header {"alg":"HS256","typ":"JWT","kid":"key"}.
    let foreign =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImtleSJ9"
      + ".eyJpc3MiOiJrZXkiLCJzdWIiOiLniLHkuL3kuJ0iLCJyb29tIjoiZGVtbyIsImV4cCI6MTgwMDAwMzYwMCwiZ3Jhbn"
      + "RzIjpbInB1Ymxpc2giLCJhZG1pbiJdfQ"
      + ".xTbsXC2ZY851Rw_wEFIfyYR0fD5b_Zf8HbIPelvag-E"
    let verified = try await keys().verify(foreign, now: now)
    #expect(verified.room == "demo" && verified.user == "爱丽丝" && verified.grants == [.publish, .admin])
    #expect(verified.expires == Date(timeIntervalSince1970: 1_800_003_600) && verified.id == "signature:xTbsXC2ZY851Rw_wEFIfyQ")
  }

  @Test("tokens without jti have a stable name, which differs if any claim differs")
  func withoutName() async throws {
    let keys = try await keys()
    func name(expires: Double) throws -> String {
      let token = RoomToken(room: "demo", user: "ann", grants: [.publish], expires: now.addingTimeInterval(expires), id: "")
      return try keys.verify(try keys.sign(token, key: "key"), now: now).id
    }
    #expect(try name(expires: 60) == name(expires: 60))
    #expect(try name(expires: 60) != name(expires: 61))
    #expect(try !name(expires: 60).isEmpty)
  }

  @Test("each kind of invalid token has its own message, and all are 10002")
  func refusals() async throws {
    let keys = try await keys()
    let good = try keys.sign(token(), key: "key")
    let others = try await self.keys(["key": "another secret of thirty-two bytes"])
    let strangers = try await self.keys(["stranger": secret])
    let unsigned = String(good.prefix(upTo: try #require(good.lastIndex(of: "."))))
    let claims = #"{"exp":1900000000,"sub":"ann","room":"demo","grants":["publish"]}"#
    let cases: [(String, TokenError)] = [
      (try keys.sign(token(expires: -1), key: "key"), .expired),
      (try keys.sign(token(expires: 0), key: "key"), .expired),
      (try keys.sign(token(notBefore: 10), key: "key"), .notYetValid),
      (try others.sign(token(), key: "key"), .wrongSignature),
      (unsigned + ".AAAA", .wrongSignature),
      (unsigned + ".", .wrongSignature),
      (try strangers.sign(token(), key: "stranger"), .unknownKey("stranger")),
      (try keys.sign(APIToken(key: "key", expires: now + 60)), .wrongPurpose),
      (forged(header: #"{"alg":"none","kid":"key"}"#, payload: claims, signature: ""), .wrongAlgorithm("none")),
      (forged(header: #"{"alg":"HS512","kid":"key"}"#, payload: claims), .wrongAlgorithm("HS512")),
      (forged(header: #"{"alg":"RS256","kid":"key"}"#, payload: claims), .wrongAlgorithm("RS256")),
    ]
    for (text, expected) in cases {
      let error = try #require(throws: TokenError.self) { try keys.verify(text, now: now) }
      #expect(error == expected)
      #expect(error.roomError.code == .tokenInvalid && !error.roomError.message.isEmpty)
    }
    #expect(throws: TokenError.wrongRoom(token: "demo", asked: "other")) {
      try keys.verify(good, room: "other", now: now)
    }
  }

  @Test("any text that is not a token is malformed")
  func malformed() async throws {
    let keys = try await keys()
    let claims = #"{"exp":1900000000,"sub":"ann","room":"demo","grants":["publish"]}"#
    let header = #"{"alg":"HS256","kid":"key"}"#
    func signed(_ payload: String) throws -> String {
      try keys.sign(header: Data(header.utf8), payload: Data(payload.utf8), key: "key")
    }
    let texts = [
      "", ".", "..", "...", "a.b.c", "爱.爱.爱", String(repeating: "x", count: 5000), String(repeating: ".", count: 4000),
      forged(header: "{}", payload: claims), forged(header: #"{"alg":"HS256"}"#, payload: claims),
      forged(header: #"{"alg":7,"kid":"key"}"#, payload: claims),
      forged(header: #"{"alg":"HS256","kid":"key","crit":["b64"],"b64":false}"#, payload: claims),
      forged(header: String(repeating: "[", count: 700), payload: claims),
      try signed("{}"), try signed("[]"), try signed(#"{"exp":"soon"}"#), try signed(#"{"exp":1e999}"#),
      try signed(#"{"exp":1900000000,"grants":["fly"]}"#), try signed(#"{"exp":1900000000,"sub":"ann","room":"demo"}"#),
    ]
    for text in texts {
      let error = try #require(throws: TokenError.self) { try keys.verify(text, now: now) }
      guard case .malformed = error else {
        Issue.record("\(text.prefix(40)) gave \(error)")
        continue
      }
    }
  }

  @Test("claims are not read before the signature is verified")
  func signatureFirst() async throws {
    let text = forged(header: #"{"alg":"HS256","kid":"key"}"#, payload: "[")
    await #expect(throws: TokenError.wrongSignature) { try await keys().verify(text, now: now) }
  }

  @Test("numbers of any size in a header are harmless", arguments: ["1e308", "-1e308", "9223372036854775808", "1e999", "0.5"])
  func headerNumbers(number: String) async throws {
    let keys = try await keys()
    let header = #"{"alg":"HS256","kid":"key","x":\#(number)}"#
    let claims = #"{"exp":1900000000,"sub":"ann","room":"demo","grants":["publish"]}"#
    #expect(throws: TokenError.self) { try keys.verify(forged(header: header, payload: claims), now: now) }
    let text = try keys.sign(header: Data(header.utf8), payload: Data(claims.utf8), key: "key")
    // A number that exceeds Double may make the header unreadable.
    if number != "1e999" { #expect(try keys.verify(text, now: now).user == "ann") }
  }

  @Test("mutated tokens never trap and never pass")
  func mutated() async throws {
    let keys = try await keys()
    let good = Array(try keys.sign(token(), key: "key").utf8)
    // The last character of a signature contains two bits that base64 ignores.
    var state: UInt64 = 3
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var bytes = good
      bytes[Int(state >> 33) % (bytes.count - 1)] ^= UInt8(truncatingIfNeeded: state >> 20) | 1
      #expect(throws: TokenError.self) { try keys.verify(String(decoding: bytes, as: UTF8.self), now: now) }
    }
  }

  @Test("a secret under 32 bytes is rejected with a sentence")
  func shortSecret() async throws {
    #expect(TokenError.secretTooShort(key: "key", bytes: 5).description.contains("32"))
    await #expect(throws: TokenError.secretTooShort(key: "key", bytes: 31)) {
      try TokenKeys(["key": String(repeating: "x", count: 31)])
    }
  }

  @Test("an API token is valid for REST, a room token is not")
  func apiToken() async throws {
    let keys = try await keys()
    let token = APIToken(key: "key", expires: now + 60, notBefore: now - 60)
    #expect(try keys.verifyAPI(try keys.sign(token), now: now) == token)
    #expect(throws: TokenError.wrongPurpose) { try keys.verifyAPI(try keys.sign(self.token(), key: "key"), now: now) }
    #expect(throws: TokenError.expired) { try keys.verifyAPI(try keys.sign(token), now: now + 60) }
    #expect(throws: TokenError.unknownKey("nobody")) { try keys.sign(APIToken(key: "nobody", expires: now)) }
  }

  @Test("several keys are valid at the same time")
  func severalKeys() async throws {
    let keys = try await keys(["a": secret, "b": secret + "b"])
    #expect(keys.keys == ["a", "b"])
    for key in keys.keys { #expect(try keys.verify(try keys.sign(token(), key: key), now: now).user == "ann") }
  }

  @Test(
    "lifetimes in the notation of the command line",
    arguments: [
      ("2h", 7200), ("90m", 5400), ("30s", 30), ("1d", 86400), ("0s", nil), ("", nil), ("h", nil), ("2", nil), ("-2h", nil),
      ("1.5h", nil), ("2 h", nil), ("99999999999999999999h", nil), ("9999d", nil), ("٣h", nil), ("2w", nil),
    ] as [(String, Int?)])
  func timesToLive(text: String, seconds: Int?) {
    #expect(TimeToLive(text)?.seconds == seconds)
  }
}
