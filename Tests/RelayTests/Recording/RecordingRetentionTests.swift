import Testing

@testable import RoomRelay

@Suite("Retention of recordings")
struct RecordingRetentionTests {
  private static let hour: Int64 = 3_600_000

  /// A recording that ended at this hour.
  private func recording(
    _ name: String, endedAt hour: Int64?, size: Int64, state: RecordingFacts.State = .ready,
    owner: RecordingOwner? = RecordingOwner(room: "demo", session: "RS_1", job: "tape")
  ) -> RecordingFacts {
    RecordingFacts(
      name: name, owner: owner, state: hour == nil ? .writing : state, startedAt: 0, endedAt: hour.map { $0 * Self.hour },
      size: size)
  }

  private func expired(_ retention: RecordingRetention, _ all: [RecordingFacts], at hour: Int64) -> [String] {
    retention.expired(all, now: hour * Self.hour).map { "\($0.name) \($0.reason)" }
  }

  @Test("without limits nothing is deleted")
  func none() {
    #expect(expired(RecordingRetention(), [recording("a", endedAt: 0, size: 1 << 60)], at: 100_000) == [])
  }

  @Test("a recording is deleted once it is older than allowed, counted from its end; a failed one too")
  func age() {
    let all = [
      recording("new", endedAt: 9, size: 1), recording("old", endedAt: 4, size: 1),
      recording("failed", endedAt: 3, size: 1, state: .failed), recording("running", endedAt: nil, size: 1),
    ]
    let retention = RecordingRetention(longestAge: 5 * Self.hour)
    #expect(expired(retention, all, at: 8) == [])
    #expect(expired(retention, all, at: 9) == ["failed age"])
    #expect(expired(retention, all, at: 10) == ["failed age", "old age"])
    #expect(expired(retention, all, at: 100) == ["failed age", "old age", "new age"])
    #expect(expired(retention, all, at: -100) == [], "the clock was set back")
  }

  @Test("the oldest are deleted until the rest is small enough; the one being written counts, and stays")
  func size() {
    let all = [
      recording("c", endedAt: 3, size: 10), recording("a", endedAt: 1, size: 10), recording("b", endedAt: 2, size: 10),
      recording("running", endedAt: nil, size: 15),
    ]
    #expect(expired(RecordingRetention(largestSize: 45), all, at: 4) == [])
    #expect(expired(RecordingRetention(largestSize: 44), all, at: 4) == ["a size"])
    #expect(expired(RecordingRetention(largestSize: 25), all, at: 4) == ["a size", "b size"])
    #expect(expired(RecordingRetention(largestSize: 1), all, at: 4) == ["a size", "b size", "c size"])
  }

  @Test("a file that no job wrote is neither counted nor deleted")
  func foreign() {
    let all = [
      recording("holiday", endedAt: 0, size: 1000, owner: nil), recording("a", endedAt: 1, size: 10),
      recording("b", endedAt: 2, size: 10),
    ]
    #expect(expired(RecordingRetention(largestSize: 20), all, at: 3) == [])
    #expect(expired(RecordingRetention(largestSize: 15), all, at: 3) == ["a size"])
    #expect(expired(RecordingRetention(longestAge: Self.hour), all, at: 100) == ["a age", "b age"])
  }

  @Test("with both limits, what is too old makes space first")
  func both() {
    let all = [("a", 1), ("b", 8), ("c", 9)].map { recording($0, endedAt: $1, size: 10) }
    let retention = RecordingRetention(longestAge: 5 * Self.hour, largestSize: 20)
    #expect(expired(retention, all, at: 10) == ["a age"])
    #expect(expired(RecordingRetention(longestAge: 5 * Self.hour, largestSize: 15), all, at: 10) == ["a age", "b size"])
  }
}
