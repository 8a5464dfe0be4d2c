import Foundation
import RoomRTP
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@testable import RoomEngine

@Suite("Rate limits and bounded lists")
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

  @Test("a clock that steps back adds no tokens")
  func clockBack() {
    var bucket = TokenBucket(perSecond: 1, burst: 1, now: Instant(microseconds: 10_000_000))
    func take(at time: Int64) -> Bool { bucket.take(now: Instant(microseconds: time)) }
    #expect(take(at: 10_000_000))
    #expect(!take(at: 0))
    #expect(!take(at: 10_500_000))
    #expect(take(at: 11_000_000))
  }

  @Test("addresses are counted separately, ignoring ports, and IPv6 by its network")
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

  @Test("the number of addresses is bounded; idle ones are dropped first")
  func throttleBound() throws {
    var throttle = JoinThrottle(perSecond: 1, burst: 1, capacity: 3)
    for index in 0..<50 {
      _ = throttle.allows(TransportAddress(ipv4: UInt32(index), port: 0), now: Instant(microseconds: 0))
      #expect(throttle.count <= 3)
    }
    let later = throttle.allows(TransportAddress(ipv4: 99, port: 0), now: Instant(microseconds: 5_000_000))
    #expect(later)
  }

  @Test("kicked tokens are revoked, other tokens of the user are not, and the list is bounded")
  func kickedTokens() {
    var kicked = KickedTokens(capacity: 2)
    func token(_ id: String, expires: Double) -> RoomToken {
      RoomToken(room: "r", user: "u", grants: [], expires: Date(timeIntervalSinceNow: expires), id: id)
    }
    func insert(_ token: RoomToken) -> Bool { kicked.insert(StoredKick(token)) }
    #expect(insert(token("a", expires: 100)))
    #expect(kicked.contains(token("a", expires: 100)))
    #expect(!kicked.contains(token("b", expires: 100)))
    #expect(insert(token("b", expires: -1)))
    // The expired token is dropped.
    #expect(insert(token("c", expires: 50)))
    #expect(kicked.count == 2)
    #expect(!insert(token("d", expires: 200)))
    #expect(!kicked.contains(token("c", expires: 50)))
    #expect(kicked.contains(token("a", expires: 100)))
  }

  @Test("a kick that names no token revokes those that are valid since its time or longer")
  func olderTokens() {
    var kicked = KickedTokens(capacity: 10)
    let now = Date()
    func isRevoked(_ user: UserID = "u", since: Double?) -> Bool {
      kicked.contains(
        RoomToken(
          room: "r", user: user, grants: [], expires: now + 100, notBefore: since.map { now + $0 }, id: "any"))
    }
    let isFree = kicked.insert(StoredKick(of: "u", in: "r", issuedUpTo: now))
    #expect(isFree && isRevoked(since: -10) && isRevoked(since: 0) && isRevoked(since: nil))
    #expect(!isRevoked(since: 1) && !isRevoked("v", since: -10))
    // An earlier time does not shorten it.
    kicked.restore([StoredKick(of: "u", in: "r", issuedUpTo: now - 50), StoredKick(of: "v", in: "r", issuedUpTo: now - 5)])
    #expect(isRevoked(since: -10) && isRevoked("v", since: -10) && !isRevoked("v", since: -1))
  }

  @Test("a key that is inserted again expires at the later time and counts once")
  func insertedAgain() {
    let now = Date()
    var table = ExpiryTable<String>(capacity: 2)
    func insert(_ key: String, _ seconds: Double, at time: Double = 0) -> Bool {
      table.insert(key, until: now.addingTimeInterval(seconds), now: now.addingTimeInterval(time))
    }
    #expect(insert("a", 10))
    for second in 20..<40 { #expect(insert("a", Double(second))) }
    #expect(insert("a", 5))
    #expect(insert("b", 30) && table.count == 2)
    // "b" expires first: "a" now expires after 39 s.
    #expect(!insert("c", 50))
    #expect(table.contains("a") && !table.contains("b") && table.contains("c"))
    // Expired keys are dropped automatically.
    #expect(insert("d", 90, at: 60))
    #expect(table.count == 1)
  }

  @Test("keys are dropped in order of expiry, whatever the order of insertion")
  func expiryOrder() {
    let now = Date()
    var table = ExpiryTable<Int>(capacity: 100)
    for index in 0..<100 {
      let key = index * 37 % 100
      _ = table.insert(key, until: now.addingTimeInterval(Double(key) + 1), now: now)
    }
    for index in 0..<50 {
      let isFree = table.insert(1000 + index, until: now.addingTimeInterval(1000), now: now)
      #expect(!isFree)
      #expect(!table.contains(index) && table.contains(index + 1))
    }
  }

  // An implementation that looks at each entry takes minutes here.
  @Test("inserting into a full table is as fast as into an empty one", .timeLimit(.minutes(1)))
  func fullTables() {
    let now = Date()
    var kicked = KickedTokens(capacity: 50_000)
    for index in 0..<100_000 {
      let token = RoomToken(
        room: "r", user: "u", grants: [], expires: now.addingTimeInterval(1000 + Double(index)), id: "\(index)")
      let isFree = kicked.insert(StoredKick(token), now: now)
      #expect(isFree == (index < 50_000))
    }
    #expect(kicked.count == 50_000)
    var throttle = JoinThrottle(perSecond: 20, burst: 100, capacity: 10_000)
    for index in 0..<100_000 {
      let isAllowed = throttle.allows(TransportAddress(ipv4: UInt32(index), port: 0), now: Instant(microseconds: Int64(index)))
      #expect(isAllowed == (index < 10_000))
    }
    #expect(throttle.count == 10_000)
    // After twice the fill time of a bucket, all addresses are dropped.
    let later = throttle.allows(TransportAddress(ipv4: 1, port: 0), now: Instant(microseconds: 10_200_000))
    #expect(later && throttle.count == 1)
  }

  @Test("an address that keeps joining stays in the tables")
  func throttleRemembers() {
    // A bucket fills in two seconds.
    var throttle = JoinThrottle(perSecond: 1, burst: 2, capacity: 10)
    let busy = TransportAddress(ipv4: 1, port: 0)
    var allowed = 0
    for time in 0..<100 where throttle.allows(busy, now: Instant(microseconds: Int64(time) * 250_000)) { allowed += 1 }
    // The burst, and one for each second of 24.75.
    #expect(allowed == 26)
  }

  @Test("names are short and use a limited character set", arguments: ["a", "A-z_0.9@x:y", String(repeating: "x", count: 64)])
  func goodNames(name: String) { #expect(NameRule.allows(name)) }

  @Test(
    "other names are invalid",
    arguments: ["", " ", "a b", "a/b", "ä", "a\n", "a\u{0}", "%41", String(repeating: "x", count: 65)])
  func badNames(name: String) { #expect(!NameRule.allows(name)) }
}
