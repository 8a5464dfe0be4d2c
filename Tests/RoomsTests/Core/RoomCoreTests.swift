import Foundation
import RoomRTP
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@testable import RoomEngine

@Suite("Rooms in virtual time")
struct RoomCoreTests {
  private static let host: Grants = [.admin, .publish, .subscribe]

  /// Returns a room with a host and a guest on seats, and one user in the audience.
  private func seated(_ change: (inout RoomCore.Settings) -> Void = { _ in }) throws -> VirtualRoom {
    var room = VirtualRoom(change)
    room.join("host", Self.host)
    room.join("ann", [.publish, .subscribe])
    room.join("bob", [.subscribe])
    try room.call(.seats(.take(SeatParams(index: 1))), by: "ann")
    _ = room.settle()
    // Nobody publishes: the stage waits a second for tracks.
    room.pass(.seconds(1))
    _ = room.settle()
    return room
  }

  @Test("the mix of a layout has the layout's canvas and the corners of its frames")
  func canvas() throws {
    var room = try seated()
    let standard = try #require(room.stage)
    #expect(standard.picture?.width == 720 && standard.picture?.height == 1280)
    #expect(standard.layouts.map(\.layout.cornerRadius) == [nil, 13], "0.06 of a side of 216 pixels")
    let frames = [
      SeatFrame(x: 0, y: 0, width: 1, height: 1),
      SeatFrame(x: 0.5, y: 0.5, width: 0.5, height: 0.5, zIndex: 1, cornerRadius: 0.5),
    ]
    let canvas = CanvasSize(width: 640, height: 360)
    try room.call(.seats(.setLayout(LayoutParams(.custom, canvas: canvas, frames: frames))), by: "host")
    try room.call(.seats(.take(SeatParams(index: 1))), by: "ann")
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    let custom = try #require(room.stage)
    #expect(custom.picture?.width == 640 && custom.picture?.height == 360)
    let guest = try #require(custom.layouts.last).layout
    #expect([guest.x, guest.y, guest.width, guest.height] == [320, 180, 320, 180])
    #expect(guest.cornerRadius == 90 && guest.zIndex == 1)
  }

  @Test("in a PK the audience's mix keeps its size, and the PK's picture fits into it")
  func pkGeometry() throws {
    var room = try seated { $0.stage = StagePicture(width: 360, height: 640) }
    let before = try #require(room.core.jobs[JobID.stage]?.info.startedAt)
    room.core.beginPK(PKInfo(pkId: "pk", room: "b", userId: "eve", host: "host", inviter: true, startedAt: before))
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    let plan = try #require(room.stage)
    #expect(plan.picture?.width == 360 && plan.picture?.height == 640)
    #expect(plan.layouts.map(\.layout.userId) == ["host", "eve@b", "ann"], "the guest stays visible")
    #expect(
      plan.layouts.prefix(2).map { [$0.layout.x, $0.layout.y, $0.layout.width, $0.layout.height] } == [
        [0, 160, 180, 320], [180, 160, 180, 320],
      ])
    let guest = try #require(plan.layouts.last).layout
    #expect(guest.y ?? 0 >= 480 && (guest.y ?? 0) + (guest.height ?? 0) <= 640, "below both anchors")
  }

  @Test("a track muted before its seat stays muted, whoever unmutes it")
  func mutedBefore() throws {
    var room = try seated()
    let encoder = room.newConnection()
    guard case .joined = room.core.publish(room.token("ann", [.publish]), from: encoder, by: .rtmp) else {
      Issue.record("the encoder was rejected")
      return
    }
    room.join("host", Self.host)
    try room.call(.seats(.take(SeatParams(index: 0))), by: "host")
    _ = try room.core.state.perform(.seats(.invite(SeatInviteParams(userId: "ann", index: 1))), by: .api, at: 1_700_000_000_000)
    { "" }
    _ = try room.core.state.takeSeat(1, by: "ann")
    let track = EncoderTrack(kind: .audio, codec: .opus, cname: "c")
    _ = room.core.publish(track, from: encoder)
    let id = try #require(room.core.roster["ann"]?.tracks.first?.info.trackId)
    _ = try room.core.perform(.mute(MuteParams(trackId: id, muted: true)))
    _ = try room.core.perform(.seats(.set(SeatSwitches(index: 1, muted: true))))
    #expect(throws: RoomError.self) { try room.core.perform(.mute(MuteParams(trackId: id, muted: false))) }
    #expect(room.core.roster["ann"]?.tracks.first?.info.muted == true)
    _ = try room.core.perform(.seats(.set(SeatSwitches(index: 1, muted: false))))
    _ = try room.core.perform(.mute(MuteParams(trackId: id, muted: false)))
    #expect(room.core.roster["ann"]?.tracks.first?.info.muted == false)
  }

  @Test("an answer precedes the events that it causes, and a disconnected participant leaves after its grace time")
  func order() throws {
    var room = try seated()
    try room.call(.sendMessage(MessageParams(.text, text: "hello")), by: "ann")
    let outputs = room.settle()
    let answer = outputs.firstIndex { if case .answer = $0 { true } else { false } }
    let event = outputs.firstIndex { if case .broadcast(.changed, _) = $0 { true } else { false } }
    #expect(try #require(answer) < (try #require(event)))
    let ann = try #require(room.core.roster["ann"])
    room.core.connectionLost(ann.session, of: "ann", try #require(ann.connection))
    room.pass(.milliseconds(19_999))
    #expect(room.core.roster["ann"]?.isConnected == false)
    room.pass(.milliseconds(2))
    #expect(room.core.roster["ann"] == nil)
  }
}
