import RoomCluster
import RoomLiveOrigin
import RoomRTP
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Questions to the directory of streams")
struct StreamLookupsTests {
  private let member = Incarnation(node: "n1", epoch: 1, process: 1)

  private func path(_ number: Int) throws -> StreamPath { try #require(StreamPath("live/\(number)")) }

  @Test("an answer is used for a second, also that there is no such stream")
  func validity() throws {
    var now = Instant(microseconds: 0)
    var lookups = StreamLookups(now: now)
    #expect(lookups.answer(for: try path(1), now: now) == .ask)
    lookups.learned(member, of: try path(1), now: now)
    lookups.learned(nil, of: try path(2), now: now)
    now = now.advanced(microseconds: 999_999)
    #expect(lookups.answer(for: try path(1), now: now) == .known(member))
    #expect(lookups.answer(for: try path(2), now: now) == .known(nil))
    now = now.advanced(microseconds: 1)
    for number in 1...2 { #expect(lookups.answer(for: try path(number), now: now) == .ask) }
  }

  @Test("a flood of names asks 1000 times at once and 500 times a second; the answers are bounded")
  func flood() throws {
    var now = Instant(microseconds: 0)
    var lookups = StreamLookups(now: now)
    var asked = 0
    for number in 0..<40_000 {
      now = now.advanced(microseconds: 100)
      guard lookups.answer(for: try path(number), now: now) == .ask else { continue }
      asked += 1
      lookups.learned(nil, of: try path(number), now: now)
    }
    #expect((2900...3001).contains(asked), "\(asked)")
    for number in 0..<20_000 { lookups.learned(nil, of: try path(number), now: now) }
    #expect(lookups.count <= StreamLookups.capacity)
  }
}

@Suite("The query of a forwarded publish")
struct ForwardedQueryTests {
  private func sign(_ text: String) -> String { "n1;\(text.utf8.count);\(text.hashValue)" }

  private func isForwarded(_ query: String, room: String = "demo") -> Bool {
    ForwardedQuery.isForwarded(query, room: room) { sign($0) == $1 }
  }

  @Test("a node's signature covers the room and the encoder's query")
  func signed() {
    let query = ForwardedQuery.text("token=abc&x=1", room: "demo", sign: sign)
    #expect(query.hasPrefix("token=abc&x=1&nodesignature=n1;"))
    #expect(isForwarded(query) && ForwardedQuery.isClaimed(by: query))
    #expect(!isForwarded(query, room: "other") && !isForwarded(query + "0") && !isForwarded("y" + query))
  }

  @Test("an encoder that claims to be forwarded is not, and its publish is not forwarded either")
  func claimed() {
    for query in ["token=abc&nodesignature=n1;1;2", "nodesignature=x&token=abc", "nodesignature=&token=a"] {
      #expect(!isForwarded(query) && ForwardedQuery.isClaimed(by: query), "\(query)")
    }
    #expect(!isForwarded("token=abc") && !ForwardedQuery.isClaimed(by: "token=abc&node=1"))
    // Signed twice: the outer signature counts, and covers the inner one.
    let twice = ForwardedQuery.text(ForwardedQuery.text("token=a", room: "demo", sign: sign), room: "demo", sign: sign)
    #expect(isForwarded(twice) && ForwardedQuery.isClaimed(by: twice))
  }
}
