import RoomRTP
import Testing
import RoomProtocol

@testable import RoomEngine

extension SpeakerStage {
  /// Shows the first of the publishers when nobody speaks.
  fileprivate mutating func advance(publishers: [UserID], now: Instant) -> Bool {
    advance(publishers: Set(publishers), first: { publishers.first }, now: now)
  }
}

@Suite struct SpeakerStageTests {
  private enum Step {
    /// These users speak, loudest first, from a time in milliseconds on.
    case speak([UserID], at: Int64)
    /// The stage advances while these users publish.
    case ask([UserID], at: Int64)
  }

  private static func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: 1_000_000_000 + milliseconds * 1000) }

  /// Returns the user shown after each `ask`. Checks that exactly the changes are reported.
  private func shown(_ steps: [Step]) -> [UserID?] {
    var stage = SpeakerStage()
    var shown: [UserID?] = []
    for step in steps {
      switch step {
      case .speak(let speakers, let time): stage.setSpeakers(speakers, now: Self.at(time))
      case .ask(let publishers, let time):
        let before = stage.user
        let changed = stage.advance(publishers: publishers, now: Self.at(time))
        #expect(changed == (stage.user != before))
        shown.append(stage.user)
      }
    }
    return shown
  }

  @Test("the first publisher is shown while nobody speaks, and nobody if nobody publishes")
  func first() {
    let both: [UserID] = ["host", "guest"]
    #expect(shown([.ask([], at: 0), .ask(both, at: 0), .ask(both, at: 60_000)]) == [nil, "host", "host"])
  }

  @Test("a user takes over after being the loudest for a second, not before")
  func patience() {
    let both: [UserID] = ["host", "guest"]
    #expect(
      shown([.ask(both, at: 0), .speak(["guest", "host"], at: 5000), .ask(both, at: 5999), .ask(both, at: 6000)])
        == ["host", "host", "guest"])
  }

  @Test("a short interruption changes nothing")
  func interruption() {
    let both: [UserID] = ["host", "guest"]
    #expect(
      shown([
        .ask(both, at: 0), .speak(["host"], at: 5000), .speak(["guest", "host"], at: 6000), .speak(["host"], at: 6800),
        .ask(both, at: 9000), .speak(["guest"], at: 10_000), .speak([], at: 10_500), .ask(both, at: 12_000),
      ]) == ["host", "host", "host"])
  }

  @Test("a user who keeps publishing is shown for at least two seconds")
  func hold() {
    let both: [UserID] = ["a", "b"]
    #expect(
      shown([.ask(both, at: 0), .speak(["b"], at: 100), .ask(both, at: 1500), .ask(both, at: 2000)]) == ["a", "a", "b"])
  }

  @Test("a user who stops publishing is replaced at once by the speaker, or else by the first publisher")
  func leaving() {
    #expect(
      shown([
        .ask(["a", "b", "c"], at: 0), .speak(["c"], at: 100), .ask(["b", "c"], at: 150), .ask(["b"], at: 160),
        .ask([], at: 170),
      ]) == ["a", "c", "b", nil])
  }

  @Test("it has a deadline only while a change is due")
  func deadline() {
    var stage = SpeakerStage()
    _ = stage.advance(publishers: ["a", "b"], now: Self.at(0))
    #expect(stage.deadline == nil)
    stage.setSpeakers(["b"], now: Self.at(5000))
    #expect(stage.deadline == Self.at(6000))
    _ = stage.advance(publishers: ["a", "b"], now: Self.at(6000))
    #expect(stage.deadline == nil)
  }
}
