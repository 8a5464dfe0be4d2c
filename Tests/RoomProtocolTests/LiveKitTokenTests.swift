import Foundation
import RoomProtocol
import Testing

@testable import RoomToken

@Suite("LiveKit's tokens")
struct LiveKitTokenTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func keys() throws -> TokenKeys { try TokenKeys(["key": "0123456789abcdef0123456789abcdef"]) }

  private func signed(_ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) throws -> String {
    try keys().sign(header: Data(header.utf8), payload: Data(claims.utf8), key: "key")
  }

  private func read(_ claims: String) throws -> LiveKitToken { try keys().verifyLiveKit(try signed(claims), now: now) }

  @Test("a signed token is verified with all of its claims") func roundTrip() throws {
    var token = LiveKitToken(key: "key", identity: ForeignName("ann 安"), expires: now + 60, notBefore: now)
    (token.name, token.metadata, token.attributes, token.kind) = ("Ann", "m", ["a": "b"], "agent")
    token.grants.room = ForeignName("a room")
    token.grants.roomJoin = true
    token.grants.canPublish = false
    let read = try keys().verifyLiveKit(try keys().sign(token), now: now)
    token.id = read.id
    #expect(read == token && read.id.count > 20)
    // A token for the next connection can be revoked together with this one.
    var next = token
    next.expires = now + 600
    #expect(try keys().verifyLiveKit(try keys().sign(next), now: now).id == token.id)
  }

  @Test("what a token leaves out has LiveKit's defaults") func defaults() throws {
    let plain = try read(#"{"iss":"key","sub":"ann","exp":1900000000,"video":{}}"#).grants
    #expect(plain == VideoGrants())
    #expect(plain.canPublish && plain.canSubscribe && plain.canPublishData && !plain.roomJoin)
    let mute = try read(#"{"iss":"key","sub":"ann","exp":1900000000,"video":{"canPublish":false}}"#).grants
    #expect(!mute.canPublish && !mute.canPublishData && mute.canSubscribe)
    let microphone = try read(
      #"{"iss":"key","exp":1900000000,"video":{"canPublishSources":["microphone","hologram"],"canPublish":null}}"#
    ).grants
    #expect(microphone.canPublish(.microphone) && !microphone.canPublish(.camera) && !microphone.canPublish(nil))
    let unknown = try read(#"{"iss":"key","exp":1900000000,"video":{"canPublishSources":["hologram"]}}"#).grants
    #expect(!unknown.canPublish(.microphone) && !unknown.canPublish(nil))
  }

  @Test("the identity is sub, or else jti") func identity() throws {
    #expect(try read(#"{"iss":"key","sub":"ann","jti":"bob","exp":1900000000,"video":{}}"#).identity?.text == "ann")
    #expect(try read(#"{"iss":"key","sub":"","jti":"bob","exp":1900000000,"video":{}}"#).identity?.text == "bob")
    #expect(try read(#"{"iss":"key","exp":1900000000,"video":{}}"#).identity == nil)
  }

  @Test("the maker's clock may differ by a minute") func leeway() throws {
    let token = try signed(#"{"iss":"key","sub":"ann","nbf":1800000000,"exp":1800000100,"video":{}}"#)
    let keys = try keys()
    for time in [-60.0, 0, 159] { #expect(throws: Never.self) { try keys.verifyLiveKit(token, now: now + time) } }
    #expect(throws: TokenError.notYetValid) { try keys.verifyLiveKit(token, now: now - 61) }
    #expect(throws: TokenError.expired) { try keys.verifyLiveKit(token, now: now + 160) }
  }

  @Test("other grammars and broken tokens are refused, each kind by the method of the other")
  func refused() throws {
    let keys = try keys()
    let own = try keys.sign(RoomToken(room: "demo", user: "ann", grants: [], expires: now + 60), key: "key")
    #expect(throws: TokenError.self) { try keys.verifyLiveKit(own, now: now) }
    #expect(!keys.isLiveKitToken(own))
    let theirs = try signed(#"{"iss":"key","sub":"ann","exp":1900000000,"video":{"room":"demo","roomJoin":true}}"#)
    #expect(keys.isLiveKitToken(theirs))
    #expect(throws: TokenError.malformed("its header has no kid")) { try keys.verify(theirs, now: now) }
    #expect(throws: TokenError.malformed("its header has no kid")) { try keys.verifyAPI(theirs, now: now) }
    for claims in [
      "{}", "[]", #"{"iss":"key"}"#, #"{"iss":"key","video":{}}"#, #"{"iss":7,"exp":1900000000,"video":{}}"#,
      #"{"exp":1900000000,"video":{}}"#, #"{"iss":"key","exp":1900000000,"video":[]}"#,
      #"{"iss":"key","exp":1900000000,"video":{"roomJoin":"yes"}}"#,
      #"{"iss":"key","exp":1900000000,"sub":"\#(String(repeating: "x", count: 257))","video":{}}"#,
      #"{"iss":"key","exp":1900000000,"video":{"room":"\#(String(repeating: "x", count: 257))"}}"#,
      #"{"iss":"key","exp":1900000000,"metadata":"\#(String(repeating: "x", count: 16_000))","video":{}}"#,
    ] {
      let error = try #require(throws: TokenError.self) { try read(claims) }
      guard case .malformed = error else {
        Issue.record("\(claims.prefix(60)) gave \(error)")
        continue
      }
    }
    #expect(throws: TokenError.wrongPurpose) { try read(#"{"iss":"key","exp":1900000000}"#) }
    #expect(throws: TokenError.unknownKey("other")) { try read(#"{"iss":"other","exp":1900000000,"video":{}}"#) }
  }

  @Test("a token of several kilobytes of metadata is accepted") func large() throws {
    let metadata = String(repeating: "x", count: 8000)
    #expect(try read(#"{"iss":"key","exp":1900000000,"metadata":"\#(metadata)","video":{}}"#).metadata == metadata)
  }

  @Test("a token that joins no room, or names nobody, is no room token") func roomToken() throws {
    func own(_ claims: String) throws -> RoomToken { try read(claims).roomToken }
    #expect(throws: TokenError.wrongPurpose) { try own(#"{"iss":"key","sub":"a","exp":1900000000,"video":{"room":"demo"}}"#) }
    #expect(throws: TokenError.malformed("it has no video.room")) {
      try own(#"{"iss":"key","sub":"a","exp":1900000000,"video":{"roomJoin":true,"room":""}}"#)
    }
    #expect(throws: TokenError.malformed("it has no sub (identity)")) {
      try own(#"{"iss":"key","exp":1900000000,"video":{"roomJoin":true,"room":"a"}}"#)
    }
    let all = #"{"roomJoin":true,"room":"a b","roomAdmin":true,"roomRecord":true,"hidden":true,"canSubscribe":false}"#
    let token = try own(#"{"iss":"key","sub":"安","exp":1900000000,"video":\#(all)}"#)
    #expect(token.grants == [.publish, .admin, .relay, .hidden] && token.room == ":a:20b" && token.user == "::E5:AE:89")
  }
}

@Suite("Names of LiveKit's apps as ids")
struct ForeignNameTests {
  @Test(
    "a name has one id, and the id gives the name back",
    arguments: [
      ("ann", "ann"), ("ann@example.org", "ann@example.org"), ("ann+x@e.org", ":ann:2Bx@e.org"), (":", "::3A"),
      ("a:b", "a:b"), (":ann", "::3Aann"), ("a b", ":a:20b"), ("房", "::E6:88:BF"), ("\u{0}", "::00"),
    ])
  func reversible(text: String, id: String) throws {
    let name = try #require(ForeignName(text))
    #expect(name.id == id && NameRule.allows(name.id))
    #expect(ForeignName(id: id) == name)
  }

  @Test("a long name has the id of its digest") func digest() throws {
    let names = try [
      String(repeating: "a", count: 65), String(repeating: "房", count: 7) + "x", String(repeating: "房", count: 85),
      ":" + String(repeating: "0", count: 63),
    ].map { try #require(ForeignName($0)) }
    for name in names {
      #expect(name.id.utf8.count == 64 && name.id.hasPrefix(":") && NameRule.allows(name.id))
      #expect(ForeignName(id: name.id) == nil)
    }
    #expect(Set(names.map(\.id)).count == names.count)
    // 63 characters: the longest that is escaped.
    let longest = try #require(ForeignName(" " + String(repeating: "b", count: 59)))
    #expect(longest.id.utf8.count == 63 && ForeignName(id: longest.id) == longest)
  }

  @Test("empty and longer names, and ids that no name has, give nothing") func refused() {
    #expect(ForeignName("") == nil)
    #expect(ForeignName(String(repeating: "房", count: 86)) == nil)
    for id in [
      "", ":", ":a", "::2b ", ":a:2", ":a:G0b", "::C3", "::41", "a b", ":a b", "::+1", String(repeating: "a", count: 65),
    ] {
      #expect(ForeignName(id: id) == nil, "\(id)")
    }
  }
}
