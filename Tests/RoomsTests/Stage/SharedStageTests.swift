import RoomProtocol
import RoomRTP
import RoomRelay
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

/// Which rooms of a PK may send one mix, in virtual time.
@Suite("Rooms of a PK that show the same")
struct SharedStageTests {
  private static let names: [RoomName] = ["a", "b", "c"]

  /// Returns a room that is live and in a PK of three, with the tracks of the two other anchors.
  private func live(_ name: RoomName, _ change: (inout RoomCore.Settings) -> Void = { _ in }) throws -> VirtualRoom {
    var room = VirtualRoom(name: name) {
      $0.stage.scores = true
      change(&$0)
    }
    try room.publish(anchor(of: name), [.admin, .publish, .subscribe, .relay], width: 360, height: 640)
    _ = try room.core.perform(
      .startForward(ForwardParams(jobId: "live", publishUrl: "rtmp://localhost/live/\(name)", follow: .stage)))
    _ = room.settle()
    room.core.beginPK(info(of: name))
    for other in Self.names where other != name {
      room.core.borrow(
        LentTracks(pkId: "pk", room: other, tracks: [lent(.video, number: 900), lent(.audio, number: 901)]))
    }
    return room
  }

  private func anchor(of room: RoomName) -> UserID { UserID("\(room)-anchor") }

  private func info(of name: RoomName, scores: [Int] = [0, 0, 0], muted: RoomName? = nil) -> PKInfo {
    let other: RoomName = name == "a" ? "b" : "a"
    var info = PKInfo(
      pkId: "pk", room: other, userId: anchor(of: other), host: anchor(of: name), inviter: name == "a", startedAt: 0)
    info.score = Self.names.firstIndex(of: name).map { scores[$0] } ?? 0
    info.members = zip(Self.names, scores).map { room, score in
      var member = PKMember(room: room, userId: anchor(of: room), score: score)
      member.muted = room == muted
      return member
    }
    info.rules = PKRules()
    info.rules?.sameOrder = true
    return info
  }

  private func lent(_ kind: TrackKind, number: UInt32) -> LentTrack {
    let codec: RTPCodec = kind == .video ? .h264(.constrainedBaseline, level: .level31) : .opus
    return LentTrack(
      id: MediaTrackID(number),
      info: TrackInfo(trackId: TrackID("far\(number)"), kind: kind, master: true, width: 360, height: 640),
      parameters: RTPParameters(mid: "", kind: kind == .video ? .video : .audio, codecs: [codec], cname: "c"),
      handle: NoHandle.shared)
  }

  /// The contents that the room offers, and the number of times that it takes its mix back.
  private func sharing(_ outputs: [RoomOutput]) -> (offered: [SharedContent], separated: Int) {
    var (offered, separated): ([SharedContent], Int) = ([], 0)
    for case .program(let order) in outputs {
      if case .shareMix(_, let content) = order { offered.append(content) }
      if case .separateMix = order { separated += 1 }
    }
    return (offered, separated)
  }

  @Test("with the same order each room offers its mix after a second without changes, and the contents are equal")
  func equal() throws {
    var contents: [SharedContent] = []
    for name in Self.names {
      var room = try live(name)
      #expect(sharing(room.settle()).offered.isEmpty)
      room.pass(.seconds(1))
      contents += sharing(room.settle()).offered
    }
    #expect(contents.count == 3 && Set(contents).count == 1)
    #expect(contents.first?.inputs.count == 6, "\(contents.first?.inputs ?? [])")
  }

  @Test("scores change the picture of a shared mix; a member that one room mutes, or a guest on its stage, ends the sharing")
  func changes() throws {
    var room = try live("a")
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    room.core.changePK(info(of: "a", scores: [3, 0, 0]))
    var changed = sharing(room.settle())
    #expect(changed.offered.isEmpty && changed.separated == 0)
    #expect(room.core.jobs["live"]?.mix.flatMap { room.core.mixes[$0]?.plan.texts.first?.text } == "3")

    room.core.changePK(info(of: "a", scores: [3, 0, 0], muted: "b"))
    let outputs = room.settle()
    changed = sharing(outputs)
    #expect(changed.separated == 1)
    let orders = outputs.compactMap { if case .program(let order) = $0 { order } else { nil } }
    let separated = orders.firstIndex { if case .separateMix = $0 { true } else { false } }
    let arranged = orders.firstIndex { if case .arrange = $0 { true } else { false } }
    #expect(try #require(separated) < #require(arranged), "the mix is the room's own before it changes")
    room.pass(.seconds(1))
    #expect(sharing(room.settle()).offered.count == 1, "with others that muted the same member")

    try room.publish("ann", [.publish, .subscribe])
    _ = try room.core.state.takeSeat(1, by: "ann")
    room.core.changes.stage = true
    #expect(sharing(room.settle()).separated == 1)
  }

  @Test("a room offers again after the room that encodes for both has changed its mix")
  func ended() throws {
    var room = try live("b")
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    let mix = try #require(room.core.jobs["live"]?.mix)
    room.core.sharingEnded(mix)
    #expect(sharing(room.settle()).separated == 1)
    room.core.sharingEnded(mix)
    #expect(sharing(room.settle()).separated == 0)
    room.pass(.seconds(1))
    #expect(sharing(room.settle()).offered.count == 1)
  }

  @Test("what belongs to one room is not shared: the own anchor first, images, a mix that the audience receives in the room")
  func own() throws {
    func offers(_ change: (inout RoomCore.Settings) -> Void = { _ in }, _ prepare: (inout VirtualRoom) throws -> Void) throws
      -> Int
    {
      var room = try live("a", change)
      try prepare(&room)
      _ = room.settle()
      room.pass(.seconds(2))
      return sharing(room.settle()).offered.count
    }
    #expect(try offers { _ in } == 1)
    #expect(
      try offers { room in
        var info = info(of: "a")
        info.rules = PKRules()
        room.core.changePK(info)
      } == 0)
    #expect(try offers({ $0.audience = .mixed }) { $0.join("viewer", [.subscribe]) } == 0)
  }
}
