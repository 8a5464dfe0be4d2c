import RoomPeers
import RoomProtocol
import RoomSFU
import RoomToken
import Testing

@testable import RoomEngine

@Suite("Who may receive a participant's tracks, and the first subscriber of each")
struct SubscriberTests {
  /// A room with a publisher and two others.
  private struct Scene {
    var room = VirtualRoom()
    let audio: TrackID
    let video: TrackID

    init(traits: ClientTraits = []) throws {
      room.join("ann", [.publish, .subscribe], traits: traits)
      for user in ["bob", "carl"] as [UserID] { room.join(user, [.subscribe]) }
      var publisher = TestPublisher()
      try room.call(.publish(try publisher.publish([.opus, .vp8])), by: "ann")
      let tracks = try #require(room.core.roster["ann"]?.tracks)
      (audio, video) = (tracks[0].info.trackId, tracks[1].info.trackId)
      _ = room.settle()
      for user in ["bob", "carl"] as [UserID] { try room.answer(user) }
      _ = room.settle()
    }

    /// Permits, and returns what each user is sent.
    mutating func permit(_ permissions: SubscriptionPermissions) throws -> [UserID: [String]] {
      try room.permit(permissions, of: "ann")
      return events(room.settle())
    }

    func events(_ outputs: [RoomOutput]) -> [UserID: [String]] {
      var events: [UserID: [String]] = [:]
      for output in outputs {
        guard case .send(let event, let connection) = output, let user = room.user(connection) else { continue }
        switch event {
        case .subscribeFailed(let data):
          events[user, default: []] += data.trackIds.map { "\(data.error.code.rawValue) \($0)" }
        case .offer(let data): events[user, default: []].append("offer of \(data.tracks.count)")
        default: break
        }
      }
      return events
    }

    /// The tracks that a user receives.
    func received(_ user: UserID) -> Set<TrackID> {
      Set(room.core.roster[user]?.receiving.transport?.wantedIds.map { $0 } ?? [])
    }
  }

  @Test("a user that is no longer permitted loses the track at once, and gets it again when it is")
  func permissions() throws {
    var scene = try Scene()
    let (audio, video) = (scene.audio, scene.video)
    #expect(scene.received("bob") == [audio, video])
    let denied = ErrorCode.noPermission.rawValue
    var events = try scene.permit(SubscriptionPermissions(only: ["bob": .only([audio])]))
    #expect(scene.received("bob") == [audio] && scene.received("carl").isEmpty)
    #expect(events["bob"] == ["\(denied) \(video)", "offer of 1"])
    #expect(events["carl"] == [audio, video].sorted { $0.rawValue < $1.rawValue }.map { "\(denied) \($0)" } + ["offer of 0"])
    for user in ["bob", "carl"] as [UserID] { try scene.room.answer(user) }

    // The same again changes nothing; who asks for the track is answered again.
    events = try scene.permit(SubscriptionPermissions(only: ["bob": .only([audio])]))
    #expect(events.isEmpty)
    try scene.room.call(.subscribe(TrackSelection(trackIds: [video])), by: "bob")
    #expect(scene.events(scene.room.settle())["bob"] == ["\(denied) \(video)"])
    #expect(scene.received("bob") == [audio])

    // A newcomer is asked for its permission too, and may be named before it joins.
    events = try scene.permit(SubscriptionPermissions(only: ["bob": .all, "dora": .all]))
    #expect(events == ["bob": ["offer of 2"]])
    for user in ["dora", "eve"] as [UserID] { scene.room.join(user, [.subscribe]) }
    events = scene.events(scene.room.settle())
    #expect(events["dora"] == ["offer of 2"] && events["eve"]?.count == 2 && scene.received("eve").isEmpty)

    events = try scene.permit(.everyone)
    #expect(events["carl"] == ["offer of 2"] && events["eve"] == ["offer of 2"] && events["dora"] == nil)
    #expect(scene.received("carl") == [audio, video])
  }

  @Test("a viewer receives nothing of a user that does not permit it, and the tracks as soon as it does")
  func viewers() throws {
    var scene = try Scene()
    let view = HTTPOffer.view(.opus, .vp8)
    _ = try scene.permit(SubscriptionPermissions(only: ["bob": .all]))
    func change(_ outputs: [RoomOutput]) -> Int {
      outputs.reduce(0) { count, output in
        switch output {
        case .media(.subscribe): count + 1
        case .media(.unsubscribe): count - 1
        default: count
        }
      }
    }
    for source in [Viewer.Source.user("ann"), .stage] {
      _ = try scene.room.core.view(scene.room.token("dora", [.subscribe]), source, offer: view)
      #expect(change(scene.room.settle()) == 0)
    }
    _ = try scene.room.core.view(scene.room.token("bob", [.subscribe]), .user("ann"), offer: view)
    #expect(change(scene.room.settle()) == 2)
    try scene.room.permit(SubscriptionPermissions(only: ["dora": .only([scene.video])]), of: "ann")
    // Both of dora get the video; the viewer bob loses two tracks, and so does the participant.
    #expect(change(scene.room.settle()) == 2 - 2 - 2)
  }

  @Test("the audience keeps the room's mix, whatever the users in it permit") func mixes() throws {
    var room = VirtualRoom()
    room.join("host", [.admin, .publish, .subscribe])
    room.join("ann", [.publish, .subscribe])
    room.join("bob", [.subscribe])
    try room.call(.seats(.take(SeatParams(index: 1))), by: "ann")
    var publisher = TestPublisher()
    try room.call(.publish(try publisher.publish([.opus, .vp8])), by: "ann")
    _ = room.settle()
    room.pass(.seconds(1))
    _ = room.settle()
    let mixed = Set(try #require(room.core.roster[RoomCore.stageUser]).tracks.map(\.info.trackId))
    func received() -> Set<TrackID> { Set(room.core.roster["bob"]?.receiving.transport?.wantedIds.map { $0 } ?? []) }
    #expect(received() == mixed)
    try room.permit(SubscriptionPermissions(only: [:]), of: "ann")
    let outputs = room.settle()
    #expect(!outputs.contains { if case .send(.subscribeFailed, let to) = $0 { room.user(to) == "bob" } else { false } })
    #expect(!outputs.contains { if case .program = $0 { true } else { false } }, "the mix and the jobs don't change")
    #expect(received() == mixed && !mixed.isEmpty)
  }

  @Test("the publisher is informed of the first subscriber of each track, once, also after it was away")
  func firstSubscriber() throws {
    func reports(_ outputs: [RoomOutput]) -> [TrackID] {
      outputs.compactMap { if case .deliver(.subscribed(let track), _) = $0 { track } else { nil } }
    }
    var room = VirtualRoom()
    room.join("ann", [.publish, .subscribe], traits: .awaitsSubscribers)
    var publisher = TestPublisher()
    try room.call(.publish(try publisher.publish([.opus, .vp8])), by: "ann")
    room.join("bob", [.subscribe])
    #expect(reports(room.settle()).isEmpty, "the offer is not answered")
    try room.lose("ann")
    try room.answer("bob")
    #expect(reports(room.settle()).isEmpty)
    room.join("ann", [.publish, .subscribe], resumes: true)
    #expect(reports(room.settle()).count == 2)
    room.join("carl", [.subscribe])
    _ = room.settle()
    try room.answer("carl")
    #expect(reports(room.settle()).isEmpty)
  }

  @Test("a publisher that was away is informed again of the layers that are wanted") func wantedLayers() throws {
    var room = VirtualRoom()
    room.join("ann", [.publish])
    var publisher = TestPublisher()
    try room.call(.publish(try publisher.publish([.vp8])), by: "ann")
    _ = room.settle()
    let track = try #require(room.core.roster["ann"]?.tracks.first)
    func sent(_ outputs: [RoomOutput]) -> [[String]] {
      outputs.compactMap { if case .send(.layers(let data), _) = $0 { data.layers.flatMap(\.wanted) } else { nil } }
    }
    room.core.handle(.layersWanted(track.id, ["q"]))
    #expect(sent(room.settle()) == [["q"]])
    try room.lose("ann")
    room.core.handle(.layersWanted(track.id, ["q", "f"]))
    #expect(sent(room.settle()).isEmpty)
    room.join("ann", [.publish], resumes: true)
    #expect(sent(room.settle()) == [["q", "f"]])
  }

  @Test("users and tracks beyond the limits are not permitted") func limits() {
    let users = Dictionary(uniqueKeysWithValues: (1000..<2001).map { (UserID("u\($0)"), SubscriptionPermissions.Tracks.all) })
    let permissions = SubscriptionPermissions(only: users)
    #expect(permissions.isCut && permissions.allows("t", to: "u1999") && !permissions.allows("t", to: "u2000"))
    let tracks = Set((100...200).map { TrackID("t\($0)") })
    let cut = SubscriptionPermissions(only: ["u": .only(tracks)])
    #expect(cut.isCut && cut.allows("t199", to: "u") && !cut.allows("t200", to: "u"))
    #expect(!SubscriptionPermissions(only: [:]).allows("t", to: "u") && SubscriptionPermissions.everyone.allows("t", to: "u"))
  }
}
