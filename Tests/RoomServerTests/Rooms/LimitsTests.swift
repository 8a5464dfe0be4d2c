import Foundation
import RTP
import RoomToken
import Testing
import WebRTC

@testable import RoomServer

@Suite("Rates and lists with bounds")
struct LimitsTests {
  @Test("a bucket gives its burst, then its rate")
  func bucket() {
    var bucket = TokenBucket(perSecond: 2, burst: 3, now: Instant(microseconds: 0))
    func take(at time: Int64) -> Bool { bucket.take(now: Instant(microseconds: time)) }
    for _ in 0..<3 { #expect(take(at: 0)) }
    #expect(!take(at: 0))
    let wait = bucket.wait(now: Instant(microseconds: 0))
    #expect(wait == 500_000)
    #expect(!take(at: 499_000))
    #expect(take(at: 500_000))
    #expect(!bucket.isFull(now: Instant(microseconds: 1_000_000)))
    #expect(bucket.isFull(now: Instant(microseconds: 10_000_000)))
  }

  @Test("a clock that steps back gives nothing")
  func clockBack() {
    var bucket = TokenBucket(perSecond: 1, burst: 1, now: Instant(microseconds: 10_000_000))
    func take(at time: Int64) -> Bool { bucket.take(now: Instant(microseconds: time)) }
    #expect(take(at: 10_000_000))
    #expect(!take(at: 0))
    #expect(!take(at: 10_500_000))
    #expect(take(at: 11_000_000))
  }

  @Test("addresses are counted apart, whatever their port, and IPv6 by its network")
  func throttle() throws {
    var throttle = JoinThrottle(perSecond: 0.001, burst: 1, capacity: 10)
    let now = Instant(microseconds: 0)
    func allows(_ host: String, port: UInt16 = 1) throws -> Bool {
      throttle.allows(try #require(TransportAddress(host: host, port: port)), now: now)
    }
    #expect(try allows("10.0.0.1"))
    #expect(try !allows("10.0.0.1", port: 2))
    #expect(try allows("10.0.0.2"))
    #expect(try allows("2001:db8::1"))
    #expect(try !allows("2001:db8::2"))
    #expect(try allows("2001:db8:1::1"))
  }

  @Test("no more addresses are remembered than allowed, quiet ones are forgotten first")
  func throttleBound() throws {
    var throttle = JoinThrottle(perSecond: 1, burst: 1, capacity: 3)
    for index in 0..<50 {
      _ = throttle.allows(TransportAddress(ipv4: UInt32(index), port: 0), now: Instant(microseconds: 0))
      #expect(throttle.count <= 3)
    }
    let later = throttle.allows(TransportAddress(ipv4: 99, port: 0), now: Instant(microseconds: 5_000_000))
    #expect(later)
  }

  @Test("kicked tokens are dead, other tokens of the user are not, and the list is bounded")
  func kickedTokens() {
    var kicked = KickedTokens(capacity: 2)
    func token(_ id: String, expires: Double) -> RoomToken {
      RoomToken(room: "r", user: "u", grants: [], expires: Date(timeIntervalSinceNow: expires), id: id)
    }
    func insert(_ token: RoomToken) -> Bool { kicked.insert(token) }
    #expect(insert(token("a", expires: 100)))
    #expect(kicked.contains(token("a", expires: 100)))
    #expect(!kicked.contains(token("b", expires: 100)))
    #expect(insert(token("b", expires: -1)))
    // The expired one makes room.
    #expect(insert(token("c", expires: 50)))
    #expect(kicked.count == 2)
    #expect(!insert(token("d", expires: 200)))
    #expect(!kicked.contains(token("c", expires: 50)))
    #expect(kicked.contains(token("a", expires: 100)))
  }

  @Test("names are short and of plain characters", arguments: ["a", "A-z_0.9@x:y", String(repeating: "x", count: 64)])
  func goodNames(name: String) { #expect(RoomName.isValid(name)) }

  @Test(
    "other names are refused",
    arguments: ["", " ", "a b", "a/b", "ä", "a\n", "a\u{0}", "%41", String(repeating: "x", count: 65)])
  func badNames(name: String) { #expect(!RoomName.isValid(name)) }
}
