import Foundation
import RoomProtocol
import RoomRTP
import RoomSFU
import RoomWebRTC
import RoomRelay
import Testing

@testable import RoomEngine

/// What jobs that follow the stage send, in virtual time.
@Suite("The stage's program")
struct StageProgramTests {
  private static let host: Grants = [.admin, .publish, .subscribe, .relay]

  /// Returns a room whose host is live on one URL that follows the stage.
  private func live(width: Int = 640, height: Int = 360, _ change: (inout RoomCore.Settings) -> Void = { _ in }) throws
    -> VirtualRoom
  {
    var room = VirtualRoom(change)
    try room.publish("host", Self.host, width: width, height: height)
    _ = try room.core.perform(
      .startForward(ForwardParams(jobId: "live", publishUrl: "rtmp://localhost/live/a", follow: .stage)))
    _ = room.settle()
    return room
  }

  private func seat(_ user: UserID, _ index: Int, in room: inout VirtualRoom) throws {
    _ = try room.core.state.takeSeat(index, by: user)
    room.core.changes.stage = true
  }

  /// The users in the picture that the job sends, or the one whose tracks it sends.
  private func shown(_ room: VirtualRoom) -> [UserID?] {
    guard let job = room.core.jobs["live"] else { return [] }
    if case .forward(let forward) = job.program { return [forward.video?.user] }
    return job.mix.flatMap { room.core.mixes[$0]?.plan.layouts.map { $0.video?.user } } ?? []
  }

  private func picture(_ room: VirtualRoom) -> MixPlan? { room.core.jobs["live"]?.mix.flatMap { room.core.mixes[$0]?.plan } }

  private func continuations(_ outputs: [RoomOutput]) -> Int {
    outputs.count { if case .program(.continue("live", _)) = $0 { true } else { false } }
  }

  @Test("one person is forwarded, two are composed, and one is forwarded again, on one broadcast")
  func seats() throws {
    var room = try live()
    #expect(shown(room) == ["host"] && picture(room) == nil)
    try room.publish("ann", [.publish, .subscribe], width: 640, height: 360)
    _ = room.settle()
    #expect(shown(room) == ["host"], "a publisher without a seat is not on stage")
    try seat("ann", 1, in: &room)
    let began = room.settle()
    #expect(shown(room) == ["host", "ann"] && continuations(began) == 1)
    #expect(picture(room)?.picture?.width == 1280, "the host's camera is landscape")
    _ = try room.core.perform(.seats(.kick(UserParams(userId: "ann"))))
    let ended = room.settle()
    #expect(shown(room) == ["host"] && continuations(ended) == 1)
    #expect(room.core.mixes.isEmpty, "nothing is encoded for nobody")
  }

  @Test("cameras that announce no size are composed by the shape of their pictures, also after these turn")
  func shape() throws {
    var room = VirtualRoom()
    try room.publish("host", Self.host)
    _ = try room.core.perform(
      .startForward(ForwardParams(jobId: "live", publishUrl: "rtmp://localhost/live/a", follow: .stage)))
    try room.publish("ann", [.publish, .subscribe])
    try seat("ann", 1, in: &room)
    _ = room.settle()
    #expect(picture(room)?.picture?.width == 720, "unknown counts as portrait")
    let camera = try #require(room.core.roster["host"]?.tracks.last?.id)
    room.core.handle(MediaEvent.shapeChanged(camera, isLandscape: true))
    _ = room.settle()
    #expect(picture(room)?.picture?.width == 1280)
    room.core.handle(MediaEvent.shapeChanged(camera, isLandscape: false))
    _ = room.settle()
    #expect(picture(room)?.picture?.width == 720)
  }

  @Test("the audience, the broadcast and the recording share one mix")
  func sharing() throws {
    var room = try live()
    room.join("bob", [.subscribe])
    _ = try room.core.perform(.startForward(ForwardParams(jobId: "file", publishUrl: "file:show.mp4", follow: .stage)))
    try room.publish("ann", [.publish, .subscribe])
    try seat("ann", 1, in: &room)
    _ = room.settle()
    let mixes = [JobID.stage, "live", "file"].map { room.core.jobs[$0]?.mix }
    #expect(mixes.allSatisfy { $0 != nil } && Set(mixes).count == 1 && room.core.mixes.count == 1)
    #expect(room.core.mixes.values.first?.plan.picture?.profile == .baseline, "browsers decode it")
  }

  @Test("a camera that is off becomes a card, and the card becomes the camera")
  func card() throws {
    var room = try live()
    let camera = try #require(room.core.roster["host"]?.tracks.last?.info.trackId)
    _ = try room.core.perform(.mute(MuteParams(trackId: camera, muted: true)))
    _ = room.settle()
    #expect(picture(room)?.layouts.first?.layout.placeholder == "host")
    _ = try room.core.perform(.mute(MuteParams(trackId: camera, muted: false)))
    _ = room.settle()
    #expect(picture(room) == nil && shown(room) == ["host"])
  }

  @Test("a PK shows both anchors by the shape of their cameras, and the other seated users")
  func pk() throws {
    var room = try live()
    room.core.settings.stage.scores = true
    try room.publish("ann", [.publish, .subscribe])
    try seat("ann", 1, in: &room)
    _ = room.settle()
    let info = PKInfo(pkId: "pk", room: "b", userId: "eve", host: "host", inviter: true, startedAt: 0, score: 12, peerScore: 7)
    room.core.beginPK(info)
    let lent = [
      LentTrack(
        id: MediaTrackID(900), info: TrackInfo(trackId: "far", kind: .video, width: 1280, height: 720),
        parameters: RTPParameters(mid: "", kind: .video, codecs: [.h264(.constrainedBaseline, level: .level31)], cname: "c"),
        handle: NoHandle.shared)
    ]
    room.core.borrow(LentTracks(pkId: "pk", room: "b", tracks: lent))
    let began = room.settle()
    let plan = try #require(picture(room))
    #expect(shown(room) == ["host", "eve@b", "ann"])
    #expect(plan.layouts.prefix(2).map(\.layout.width) == [640, 640] && plan.layouts[0].layout.height == 720)
    #expect(plan.texts.map(\.text) == ["12", "7"])
    #expect(continuations(began) == 0, "the mix has the same size, so the same encoder goes on")
    room.core.endPK()
    _ = room.settle()
    #expect(shown(room) == ["host", "ann"])
  }

  @Test("a PK of several rooms gives each anchor a part of the picture, and two teams a side each")
  func pkOfSeveral() throws {
    var room = try live()
    room.core.settings.stage.scores = true
    func info(_ names: [String], teams: Bool, result: PKResult? = nil) -> PKInfo {
      var info = PKInfo(pkId: "pk", room: "b", userId: "bea", host: "host", inviter: true, startedAt: 0, score: 5)
      let own = PKMember(room: room.core.name, userId: "host", team: teams ? 0 : nil, score: 5)
      info.members =
        [own]
        + names.enumerated().map { index, name in
          PKMember(room: RoomName(name), userId: UserID("\(name)x"), team: teams ? (index + 1) / 2 : nil, score: index)
        }
      info.result = result
      return info
    }
    func frames() -> [String] {
      picture(room)?.layouts.map {
        "\($0.layout.x ?? -1),\($0.layout.y ?? -1) \($0.layout.width ?? 0)x\($0.layout.height ?? 0)"
      } ?? []
    }
    room.core.beginPK(info(["b", "c", "d"], teams: false))
    room.core.showPK()
    _ = room.settle()
    #expect(shown(room) == ["host", "bx@b", "cx@c", "dx@d"])
    #expect(frames() == ["0,320 360x320", "360,320 360x320", "0,640 360x320", "360,640 360x320"])
    #expect(picture(room)?.texts.map(\.text) == ["5", "0", "1", "2"])
    var timed = info(["b", "c", "d"], teams: false)
    timed.endsAt = 300_000
    room.core.changePK(timed)
    _ = room.settle()
    #expect(picture(room)?.texts.last == MergeText(clock: true, until: 300_000, x: 302, y: 253, size: 45), "above the anchors")
    // Another room joins with its own wait, and one leaves.
    room.core.changePK(info(["b", "d", "e"], teams: true))
    _ = room.settle()
    #expect(shown(room) == ["host", "bx@b", "dx@d"])
    room.core.showPK("ex@e")
    _ = room.settle()
    #expect(shown(room) == ["host", "bx@b", "dx@d", "ex@e"])
    #expect(frames() == ["0,320 360x320", "0,640 360x320", "360,320 360x320", "360,640 360x320"])
    let result = PKResult(of: [.init(room: room.core.name, score: 5), .init(room: "b", score: 2)])
    room.core.changePK(info(["b", "d"], teams: false, result: result))
    _ = room.settle()
    #expect(picture(room)?.texts.map(\.text) == ["WIN 5", "0", "1"])
    #expect(frames() == ["0,320 360x640", "360,320 360x320", "360,640 360x320"])
    room.core.endPK()
    _ = room.settle()
    #expect(shown(room) == ["host"])
  }

  @Test("a shared screen is on air with the camera in its corner")
  func screen() throws {
    var room = try live(width: 360, height: 640)
    let track = PublishedTrack(
      id: MediaTrackID(901), info: TrackInfo(trackId: "screen", kind: .video, tag: "screen", master: false),
      parameters: RTPParameters(mid: "", kind: .video, codecs: [.h264(.constrainedBaseline, level: .level31)], cname: "c"))
    room.core.announce([track], of: "host")
    _ = room.settle()
    let plan = try #require(picture(room))
    #expect(plan.picture?.width == 1280 && plan.layouts.map(\.video?.tag) == ["screen", nil])
    #expect(plan.layouts[0].layout.fillMode == .fit && plan.layouts[0].layout.width == 1280)
    #expect(plan.layouts[1].layout.width ?? 0 < 400 && plan.layouts[1].layout.x ?? 0 > 800)
  }

  @Test("the app changes a composition before it is shown; after the deadline the default is shown")
  func editing() throws {
    var room = try live()
    room.join("moderator", Self.host)
    try room.call(.editComposition(EditCompositionParams(deadline: 500)), by: "moderator")
    try room.publish("ann", [.publish, .subscribe])
    try seat("ann", 1, in: &room)
    let proposed = room.settle().compactMap { output -> CompositionChangingData? in
      if case .send(.compositionChanging(let data), _) = output { data } else { nil }
    }
    let change = try #require(proposed.last)
    #expect(shown(room) == ["host"] && change.deadline == 500)
    room.join("other", Self.host)
    try room.call(.editComposition(EditCompositionParams(deadline: nil)), by: "other")
    _ = room.settle()
    #expect(shown(room) == ["host"], "who is not the editor does not end the editing")
    var mine = change.composition
    mine.texts = [MergeText(text: "Friday", x: 10, y: 10)]
    try room.call(.setComposition(CompositionParams(number: change.number, composition: mine)), by: "moderator")
    _ = room.settle()
    #expect(shown(room) == ["host", "ann"] && picture(room)?.texts.map(\.text) == ["Friday"])
    _ = try room.core.perform(.seats(.set(SeatSwitches(index: 1, muted: true))))
    _ = room.settle()
    #expect(picture(room)?.layouts.last?.layout.gain == nil)
    room.pass(.milliseconds(501))
    _ = room.settle()
    #expect(picture(room)?.layouts.last?.layout.gain == 0 && picture(room)?.texts.isEmpty == true)
  }

  @Test("only an admin edits, and only the editor answers")
  func editors() throws {
    var room = try live()
    room.join("ann", [.publish, .subscribe])
    room.join("moderator", Self.host)
    try room.call(.editComposition(EditCompositionParams(deadline: 500)), by: "ann")
    try room.call(.editComposition(EditCompositionParams(deadline: 20)), by: "moderator")
    try room.call(.setComposition(CompositionParams(number: 1)), by: "moderator")
    try room.call(.setStage(StagePicture(names: true)), by: "ann")
    let codes = room.settle().compactMap { output -> ErrorCode? in
      if case .answer(_, _, .failure(let error)) = output { error.code } else { nil }
    }
    #expect(codes == [.noPermission, .cdnParameters, .noPermission, .noPermission])
    #expect(room.core.program.editor == nil)
  }

  @Test("the style changes while live, within the same encoder; another size takes over")
  func style() throws {
    var room = try live()
    try room.publish("ann", [.publish, .subscribe])
    try seat("ann", 1, in: &room)
    _ = room.settle()
    let first = room.core.jobs["live"]?.mix
    _ = try room.core.perform(.setStage(StagePicture(texts: [MergeText(clock: true, x: 0, y: 0)], names: true)))
    let changed = room.settle()
    #expect(room.core.jobs["live"]?.mix == first && continuations(changed) == 0)
    #expect(picture(room)?.texts.compactMap(\.text) == ["host", "ann"])
    _ = try room.core.perform(.setStage(StagePicture(width: 360, height: 640)))
    let resized = room.settle()
    #expect(room.core.jobs["live"]?.mix != first && continuations(resized) == 1 && room.core.mixes.count == 1)
  }

  @Test("push: auto of one broadcast follows the stage; with {user} each follows its user")
  func auto() throws {
    for (url, follow) in [("rtmp://cdn/live/{room}", JobFollow.stage), ("rtmp://cdn/live/{user}", .anchor)] {
      var room = VirtualRoom { $0.push = PushPolicy(.auto, publishUrl: url) }
      try room.publish("host", Self.host)
      _ = room.settle()
      #expect(room.core.jobs.values.map(\.follow) == [follow])
    }
  }
}
