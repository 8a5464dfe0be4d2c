import Foundation
import RoomProtocol
import RoomRelay
import Testing

@testable import RoomEngine

@Suite("What lists show of a room")
struct RoomSummaryTests {
  private static let host: Grants = [.admin, .publish, .subscribe, .relay]

  /// Returns a room whose host publishes with a camera.
  private func live(_ change: (inout RoomCore.Settings) -> Void = { _ in }) throws -> VirtualRoom {
    var room = VirtualRoom(change)
    try room.publish("host", Self.host, width: 640, height: 360)
    _ = room.settle()
    return room
  }

  private func summary(_ room: VirtualRoom) -> RoomSummary { RoomSummary(of: room.core) }

  @Test("hidden participants, mixes and the anchor of another room are no participants")
  func visible() throws {
    var room = try live()
    room.join("ann", [.publish, .subscribe])
    room.join("operator", [.subscribe, .hidden])
    room.core.beginPK(PKInfo(pkId: "pk", room: "b", userId: "eve", host: "host", inviter: true, startedAt: 0))
    room.core.borrow(LentTracks(pkId: "pk", room: "b", tracks: []))
    try room.call(.seats(.take(SeatParams(index: 1))), by: "ann")
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    #expect(room.core.roster["eve@b"] != nil)
    #expect(summary(room).users == ["host", "ann"])
    #expect(summary(room).publishers == 1)
    #expect(summary(room).pk == RoomSummary.Partner(room: "b", userId: "eve"))
    try room.call(.leave, by: "ann")
    _ = room.settle()
    #expect(summary(room).users == ["host"])
  }

  @Test("the host's camera stands for a room, without it that of who speaks, and in a PK that of the own anchor")
  func shown() throws {
    var room = try live()
    for user in ["ann", "bob"] as [UserID] { try room.publish(user, [.publish, .subscribe], width: 640, height: 360) }
    _ = room.settle()
    func mute(_ user: UserID, _ muted: Bool) throws {
      let camera = try #require(room.core.roster[user]?.tracks.first { $0.info.kind == .video })
      _ = try room.core.perform(.mute(MuteParams(trackId: camera.info.trackId, muted: muted)))
      _ = room.settle()
    }
    let tracks = try #require(room.core.roster["bob"]?.tracks)
    room.core.handle(.activeSpeakers(tracks.filter { $0.info.kind == .audio }.map(\.id)))
    _ = room.settle()
    room.pass(.seconds(3))
    _ = room.settle()
    #expect(summary(room).shown == "host" && summary(room).speakers == ["bob"])
    try mute("host", true)
    #expect(summary(room).shown == "bob")
    room.core.beginPK(PKInfo(pkId: "pk", room: "b", userId: "eve", host: "ann", inviter: true, startedAt: 0))
    _ = room.settle()
    #expect(summary(room).shown == "ann")
    for user in ["ann", "bob"] as [UserID] { try mute(user, true) }
    #expect(summary(room).shown == nil)
  }

  @Test("a live starts, is on air since its first picture, fails and recovers; a recording is none")
  func states() throws {
    var room = try live()
    func begin(_ job: JobID, _ url: String) throws {
      _ = try room.core.perform(.startForward(ForwardParams(jobId: job, publishUrl: url, userId: "host")))
      _ = room.settle()
    }
    try begin("tape", "file:show.mp4")
    #expect(summary(room).live == nil && summary(room).jobs.map(\.jobId) == ["tape"])
    room.pass(.seconds(1))
    try begin("show", "rtmp://origin/live/a")
    let started = try #require(summary(room).live)
    #expect(
      started.state == .starting && started.jobId == "show" && started.stream?.app == "live" && started.stream?.stream == "a")
    room.pass(.seconds(5))
    room.core.handle(.onAir(ProgramID(1)), of: "show")
    #expect(summary(room).live?.state == .live)
    #expect(summary(room).live?.since == started.since + 5000)
    room.pass(.seconds(5))
    room.core.handle(.state(.autoReconnecting, nil), of: "show")
    #expect(summary(room).live?.state == .failing)
    // Another one is on air.
    try begin("second", "rtmp://origin/live/b")
    room.core.handle(.onAir(ProgramID(1)), of: "second")
    #expect(summary(room).live?.jobId == "second")
    room.core.handle(.state(.connected, nil), of: "show")
    room.core.handle(.onAir(ProgramID(1)), of: "show")
    #expect(summary(room).live?.state == .live && summary(room).live?.since == started.since + 5000)
  }

  @Test("a voice room says so, with the seats taken")
  func voice() throws {
    var room = VirtualRoom { $0.audience = .voice }
    room.join("host", Self.host)
    room.join("ann", [.publish, .subscribe])
    try room.call(.seats(.take(SeatParams(index: 1))), by: "ann")
    _ = room.settle()
    #expect(summary(room).kind == .voice && summary(room).seats == 2)
  }
}
