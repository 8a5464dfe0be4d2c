import Foundation
import RoomPush
import RoomRelay
import RoomProtocol
import RoomSFU
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

@Suite("Reports to a room")
struct RoomInboxTests {
  @Test("only the newest levels and speakers are kept, and all other reports, in order")
  func flood() {
    let inbox = RoomInbox()
    for index in 0..<20_000 {
      inbox.post(.media(.audioLevels([TrackLevel(track: MediaTrackID(UInt32(index % 3)), level: -(index % 100))])))
      inbox.post(.media(.activeSpeakers([MediaTrackID(UInt32(index))])))
      if index.isMultiple(of: 100) { inbox.post(.media(.transportClosed(TransportID(UInt32(index))))) }
    }
    var closed: [TransportID] = []
    var others: [MediaEvent] = []
    while let notice = inbox.next() {
      guard case .media(let event) = notice else { continue }
      if case .transportClosed(let id) = event { closed.append(id) } else { others.append(event) }
    }
    #expect(closed == (0..<200).map { TransportID(UInt32($0 * 100)) })
    #expect(others.count == 2 && others.last == .activeSpeakers([MediaTrackID(19_999)]))
    guard case .audioLevels(let levels)? = others.first else {
      Issue.record("no levels")
      return
    }
    #expect(Set(levels.map(\.track)) == [MediaTrackID(0), MediaTrackID(1), MediaTrackID(2)])
    #expect(levels.first { $0.track == MediaTrackID(1) }?.level == -(19_999 % 100))
  }

  @Test("a finished inbox delivers its queued reports, and rejects further ones")
  func finish() async {
    let inbox = RoomInbox()
    inbox.post(.media(.firstPacket(MediaTrackID(1))))
    inbox.finish()
    inbox.post(.media(.firstPacket(MediaTrackID(2))))
    var count = 0
    for await _ in inbox.wakeups { while inbox.next() != nil { count += 1 } }
    #expect(count == 1)
  }

  @Test("the tracks of a transport that fails during an overload are removed")
  func overload() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, session) = await bare.join("alice")
    let (bob, _) = await bare.join("bob")
    try await bare.publish("alice", session: session, outlet: alice, .opus)
    let transport = try #require(await bare.room.mediaIDs(of: "alice").publish)
    _ = bob.takeEvents()
    bare.room.inbox.post(.media(.transportFailed(transport, .timeout)))
    for _ in 0..<10_000 { bare.room.inbox.post(.media(.audioLevels([TrackLevel(track: MediaTrackID(999), level: -1)]))) }
    try await eventually("the tracks are withdrawn") { await bare.room.mediaIDs(of: "alice").tracks.isEmpty }
    #expect(bob.takeEvents().map(\.name).contains("unpublished"))
  }

  @Test("a burst of a job's events is reported in order")
  func jobs() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let (alice, _) = await bare.join("alice")
    _ = try await bare.room.call(
      .startMerge(MergeParams(jobId: "j", publishAs: "mix", layouts: [TrackLayout(userId: "alice")])))
    _ = alice.takeEvents()
    let states: [PushState] = [.connecting, .connected, .autoReconnecting]
    let burst = (0..<600).map { states[$0 % 3] }
    for state in burst { bare.room.inbox.post(.job(.state(state, nil), id: "j")) }
    bare.room.inbox.post(.job(.ended(ProgramID(1), .stopped), id: "j"))
    bare.room.inbox.post(.job(.state(.connected, nil), id: "j"))
    var told: [String] = []
    try await eventually("the job's end") {
      for event in alice.takeEvents() {
        switch event {
        case .jobChanged(let info): told.append(info.state.rawValue)
        case .jobEnded: told.append("ended")
        default: break
        }
      }
      return told.last == "ended"
    }
    #expect(told == burst.map(\.rawValue) + ["ended"])
    await bare.mixes.stop()
  }
}
