import RoomRTP
import Testing

@testable import RoomCluster

@Suite("What a node writes to the directory of streams")
struct StreamClaimsTests {
  private static let own = Incarnation(node: "n1", epoch: 1, process: 1)
  private static let next = Incarnation(node: "n1", epoch: 2, process: 1)

  /// Claims with a directory in memory, in virtual time.
  private struct Node {
    var claims = StreamClaims()
    var own: Incarnation? = StreamClaimsTests.own
    var process: String? = "redis"
    var now = Instant(microseconds: 0)
    /// Streams of another member.
    var foreign: Set<String> = []
    var directory: [String: Incarnation] = [:]
    var exchanges = 0
    var verdicts: [String: StreamClaims.Verdict] = [:]

    mutating func next() -> StreamClaims.Exchange? { claims.next(own: own, process: process, now: now) }

    mutating func settle(_ exchange: StreamClaims.Exchange) {
      exchanges += 1
      for stream in exchange.claimed where !foreign.contains(stream) { directory[stream] = exchange.own }
      for stream in exchange.released where directory[stream] == exchange.own { directory[stream] = nil }
      verdicts.merge(
        claims.answered(refused: foreign.intersection(exchange.claimed), now: now), uniquingKeysWith: { $1 })
    }

    mutating func run() { while let exchange = next() { settle(exchange) } }

    mutating func pass(_ seconds: Int64) { now = now.advanced(microseconds: seconds * 1_000_000) }
  }

  @Test("a publish is entered when it begins and removed when it ends, with one exchange for all that wait")
  func life() {
    var node = Node()
    #expect((0..<3).map { node.claims.began("live/\($0)") } == [false, false, false])
    node.run()
    #expect(node.directory.count == 3 && node.exchanges == 1)
    #expect(node.verdicts.values.allSatisfy { $0 == .granted })
    node.run()
    #expect(node.exchanges == 1)
    for number in 0..<3 { node.claims.ended("live/\(number)") }
    node.run()
    #expect(node.directory.isEmpty && node.exchanges == 2 && node.claims.count == 0)
  }

  @Test("a stream that ends and begins during an exchange is entered in the end; two publishes are one entry")
  func order() throws {
    var node = Node()
    _ = node.claims.began("live/a")
    let given = node.next()
    let first = try #require(given)
    node.claims.ended("live/a")
    let second = node.next()
    #expect(second == nil)
    _ = node.claims.began("live/a")
    node.settle(first)
    node.run()
    #expect(node.directory["live/a"] == Self.own && node.exchanges == 1)
    let isEntered = node.claims.began("live/a")
    #expect(isEntered)
    node.claims.ended("live/a")
    node.claims.ended("live/a")
    let removal = node.next()
    let release = try #require(removal)
    #expect(release.released == ["live/a"])
    // Begins while the removal is under way: not entered, although the directory may still contain it.
    let isStill = node.claims.began("live/a")
    #expect(!isStill)
    node.settle(release)
    node.run()
    #expect(node.directory["live/a"] == Self.own)
  }

  @Test("a stream of another member is refused, and asked for again until that member's entry is gone")
  func refused() {
    var node = Node()
    node.foreign = ["live/a"]
    _ = node.claims.began("live/a")
    node.run()
    #expect(node.verdicts["live/a"] == .refused(since: node.now))
    node.run()
    #expect(node.exchanges == 1)
    node.pass(1)
    node.run()
    #expect(node.exchanges == 2 && node.verdicts["live/a"] == .refused(since: Instant(microseconds: 0)))
    node.foreign = []
    node.pass(1)
    node.run()
    #expect(node.verdicts["live/a"] == .granted && node.directory["live/a"] == Self.own)
    node.claims.ended("live/a")
    node.run()
    #expect(node.claims.count == 0)
  }

  @Test("nothing is written while the node is no member or the store is away; then all of it")
  func away() {
    var node = Node()
    _ = node.claims.began("live/a")
    node.own = nil
    node.run()
    (node.own, node.process) = (Self.own, nil)
    node.run()
    #expect(node.exchanges == 0)
    node.process = "redis"
    let unanswered = node.next()
    #expect(unanswered != nil)
    node.claims.failed(now: node.now)
    node.run()
    #expect(node.exchanges == 0)
    node.pass(1)
    node.run()
    #expect(node.directory["live/a"] == Self.own)
  }

  @Test("an exchange without an answer may have been carried out: a stream that ended meanwhile is removed")
  func unknown() {
    var node = Node()
    _ = node.claims.began("live/a")
    let lost = node.next()
    node.directory["live/a"] = Self.own
    node.claims.ended("live/a")
    node.claims.failed(now: node.now)
    #expect(lost?.claimed == ["live/a"])
    node.pass(1)
    node.run()
    #expect(node.directory.isEmpty && node.claims.count == 0)
  }

  @Test("a new store, a new incarnation and the age of an entry are reasons to write it again")
  func again() {
    var node = Node()
    _ = node.claims.began("live/a")
    node.run()
    (node.process, node.directory) = ("another", [:])
    node.run()
    #expect(node.directory["live/a"] == Self.own && node.exchanges == 2)
    node.own = Self.next
    node.run()
    #expect(node.directory["live/a"] == Self.next && node.exchanges == 3)
    node.pass(StreamClaims.refresh / 1_000_000)
    node.run()
    #expect(node.exchanges == 4)
    // What an ended incarnation wrote counts for nobody, and is not removed.
    node.own = Self.own
    node.claims.ended("live/a")
    node.run()
    #expect(node.exchanges == 4 && node.claims.count == 0)
  }

  @Test("a thousand streams take two exchanges")
  func many() {
    var node = Node()
    for number in 0..<1000 { _ = node.claims.began("live/\(number)") }
    node.run()
    #expect(node.exchanges == 2 && node.directory.count == 1000)
  }
}
