import RoomProtocol
import Testing

@testable import RoomClient

@Suite("The roster")
struct RosterTests {
  private func person(_ userId: UserID, tracks: [TrackID] = [], muted: Bool = false, connected: Bool = true) -> ParticipantInfo
  {
    ParticipantInfo(
      userId: userId, grants: [.publish], joinedAt: 1, connected: connected,
      tracks: tracks.map { TrackInfo(trackId: $0, kind: .video, muted: muted) })
  }

  @Test("follows joins, publications, mutes and leaves") func follows() {
    var roster = Roster()
    _ = roster.replace(with: [person("ada")], telling: false)
    _ = roster.apply(.joined(person("bob")))
    _ = roster.apply(.published(PublishedData(userId: "bob", tracks: [TrackInfo(trackId: "b1", kind: .audio)])))
    _ = roster.apply(.muteChanged(MuteData(userId: "bob", trackId: "b1", muted: true, by: "ada")))
    #expect(roster.track("b1")?.userId == "bob")
    #expect(roster.track("b1")?.info.muted == true)
    _ = roster.apply(.unpublished(UnpublishedData(userId: "bob", trackIds: ["b1"])))
    #expect(roster.track("b1") == nil)
    let told = roster.apply(.left(LeftData(userId: "bob", reason: .kickedOut)))
    #expect(told.count == 1)
    #expect(roster.participants.keys.sorted() == ["ada"])
  }

  @Test("returns the missed events after a reconnection") func tellsMissed() {
    var roster = Roster()
    _ = roster.replace(with: [person("ada", tracks: ["a1", "a2"]), person("bob")], telling: false)
    let events = roster.replace(
      with: [person("ada", tracks: ["a2", "a3"], muted: true, connected: false), person("cleo", tracks: ["c1"])], telling: true)
    var left: [UserID] = []
    var joined: [UserID] = []
    var published: [TrackID] = []
    var unpublished: [TrackID] = []
    var muted: [TrackID] = []
    var connection: [Bool] = []
    for event in events {
      switch event {
      case .left(let userId, _): left.append(userId)
      case .joined(let info): joined.append(info.userId)
      case .published(_, let tracks): published += tracks.map(\.trackId)
      case .unpublished(_, let trackIds): unpublished += trackIds
      case .muteChanged(_, let trackId, _, _): muted.append(trackId)
      case .connectionChanged(_, let connected): connection.append(connected)
      default: Issue.record("unexpected \(event)")
      }
    }
    #expect(left == ["bob"])
    #expect(joined == ["cleo"])
    #expect(published == ["a3"])
    #expect(unpublished == ["a1"])
    #expect(muted == ["a2"])
    #expect(connection == [false])
  }
}

@Suite("The repair of media transports")
final class MediaRepairTests {
  private let start = ContinuousClock.now
  private var repair = MediaRepair()

  private func isDue(after seconds: Int) -> Bool { repair.isDue(now: start + .seconds(seconds)) }

  @Test("a working transport needs no repair") func worksNone() {
    #expect(!isDue(after: 100))
    repair.opened(now: start)
    repair.connected()
    #expect(!isDue(after: 100))
  }

  @Test("a silent transport gets time to recover by itself") func silent() {
    repair.connected()
    repair.disconnected(now: start)
    #expect(!isDue(after: 3))
    #expect(isDue(after: 4))
    repair.connected()
    #expect(!isDue(after: 60))
  }

  @Test("a failed transport is replaced at once, then after growing waits") func failed() {
    var due = 0
    for pause in [2, 4, 8, 15, 15] {
      repair.failed(now: start)
      #expect(isDue(after: due))
      repair.failed(now: start)
      #expect(!isDue(after: due + pause - 1))
      due += pause
    }
  }
}
