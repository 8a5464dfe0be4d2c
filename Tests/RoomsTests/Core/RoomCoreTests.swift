import Foundation
import RoomRTP
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@testable import RoomEngine

/// A room in virtual time, without an environment.
private struct VirtualRoom {
  var core: RoomCore
  private var time = RoomTime(instant: Instant(microseconds: 0), unix: 1_700_000_000_000)
  private var connections: UInt64 = 0
  private var sessions: [UserID: (session: SessionID, connection: ConnectionID)] = [:]

  init(_ change: (inout RoomCore.Settings) -> Void = { _ in }) {
    var settings = RoomCore.Settings(
      graceTime: .seconds(20), emptyTime: .seconds(60), participants: 10, limits: RoomBounds(), pingInterval: .seconds(5))
    change(&settings)
    core = RoomCore(name: "a", settings: settings, at: time, entropy: .seeded(1))
  }

  func token(_ user: UserID, _ grants: Grants) -> RoomToken {
    RoomToken(room: "a", user: user, grants: grants, expires: .distantFuture, id: "")
  }

  mutating func newConnection() -> ConnectionID {
    connections += 1
    return ConnectionID(connections)
  }

  mutating func join(_ user: UserID, _ grants: Grants) {
    let connection = newConnection()
    guard case .joined(let session) = core.join(token(user, grants), JoinParams(token: ""), request: 1, on: connection) else {
      return
    }
    sessions[user] = (session, connection)
  }

  mutating func call(_ call: SignalCall, by user: UserID) throws {
    let session = try #require(sessions[user])
    _ = core.handle(SignalRequest(id: 2, call: call), session: session.session, of: user, on: session.connection)
  }

  mutating func pass(_ duration: Duration) {
    time = RoomTime(instant: time.instant.advanced(by: duration), unix: time.unix + duration.milliseconds)
    core.advance(to: time)
  }

  /// Performs the room's outputs; every mix and broadcast is made at once.
  mutating func settle() -> [RoomOutput] {
    var done: [RoomOutput] = []
    var outputs = core.takeOutputs()[...]
    while let output = outputs.popFirst() {
      done.append(output)
      switch output {
      case .program(.begin(let job, _, _)): core.began(job, .success(nil))
      case .program(.arrange(let mix, _)): core.arranged(mix, nil)
      case .program(.makeMix(let mix, _)): core.made(mix, nil)
      default: continue
      }
      outputs = (core.takeOutputs() + outputs)[...]
    }
    return done
  }

  /// The plan of the room's own mix.
  var stage: MixPlan? { core.jobs[JobID.stage]?.mix.flatMap { core.mixes[$0]?.plan } }
}

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
    let plan = try #require(room.stage)
    #expect(plan.picture?.width == 360 && plan.picture?.height == 640)
    #expect(plan.layouts.map(\.layout.userId) == ["host", "eve@b"])
    #expect(
      plan.layouts.map { [$0.layout.x, $0.layout.y, $0.layout.width, $0.layout.height] } == [
        [0, 160, 180, 320], [180, 160, 180, 320],
      ])
  }

  @Test("a track muted before its seat stays muted, whoever unmutes it")
  func mutedBefore() throws {
    var room = try seated()
    let encoder = room.newConnection()
    guard case .joined = room.core.publish(room.token("ann", [.publish]), from: encoder) else {
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
