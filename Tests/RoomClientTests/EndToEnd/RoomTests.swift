import RoomPeers
import RoomRTP
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("A room, with a real server", .serialized, .timeLimit(.minutes(3)))
struct RoomTests {
  @Test("frames arrive at the other client in both directions, video and audio", arguments: VideoCodec.allCases)
  func carriesFrames(codec: VideoCodec) async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    for (publisher, receiver) in [(ada, bob), (bob, ada)] {
      let events = receiver.events()
      let camera = LocalVideoTrack(codec: codec, width: 320, height: 180, fps: 15)
      let microphone = LocalAudioTrack()
      try await publisher.publish([camera, microphone])
      let feeders = [Feeder(camera), Feeder(microphone)]
      defer { for feeder in feeders { feeder.stop() } }
      var remote: [TrackKind: RemoteTrack] = [:]
      for _ in 0..<2 {
        let track = try await receiver.first("trackSubscribed", in: events) { event in
          if case .trackSubscribed(let track) = event { track } else { nil }
        }
        remote[track.kind] = track
      }
      let video = try #require(remote[.video])
      let audio = try #require(remote[.audio])
      #expect(video.codec.rawValue == codec.rawValue)
      #expect(video.info.width == 320)
      #expect(video.userId == publisher.me?.userId)
      let frames = try await within(.seconds(30), "video frames") {
        var frames: [EncodedFrame] = []
        for await frame in video.frames {
          frames.append(frame)
          if frames.count == 30 { break }
        }
        return frames
      }
      #expect(frames.first?.isKeyFrame == true)
      #expect(frames.allSatisfy { $0.data.count > 1500 })
      let sounds = try await within(.seconds(30), "audio packets") {
        var sounds: [EncodedFrame] = []
        for await sound in audio.frames {
          sounds.append(sound)
          if sounds.count == 50 { break }
        }
        return sounds
      }
      let numbers = sounds.map { Int($0.data[1]) << 8 | Int($0.data[2]) }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
      try await publisher.unpublish([camera, microphone])
      for _ in 0..<2 {
        try await receiver.first("trackUnsubscribed", in: events) { event in
          if case .trackUnsubscribed = event { () } else { nil }
        }
      }
      #expect(receiver.remoteTracks.isEmpty)
    }
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("joins, leaves, publications and mutes reach the other participants") func tellsOthers() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let events = ada.events()
    #expect(ada.state == .connected)
    #expect(ada.name == "hall")
    let bob = try await stage.join("bob")
    let joined = try await ada.first("joined", in: events) { event in
      if case .joined(let info) = event { info.userId } else { nil }
    }
    #expect(joined == "bob")
    #expect(bob.participants.map(\.userId) == ["ada"])
    let microphone = LocalAudioTrack(tag: "desk")
    try await bob.publish([microphone])
    let published = try await ada.first("published", in: events) { event in
      if case .published("bob", let tracks) = event { tracks } else { nil }
    }
    #expect(published.map(\.tag) == ["desk"])
    #expect(published.map(\.trackId) == [microphone.trackId])
    try await bob.mute(microphone, true)
    let muted = try await ada.first("muteChanged", in: events) { event in
      if case .muteChanged("bob", _, let muted, let by) = event { (muted, by) } else { nil }
    }
    #expect(muted == (true, "bob"))
    #expect(microphone.isMuted)
    await bob.leave()
    let left = try await ada.first("left", in: events) { event in
      if case .left(let userId, let reason) = event { (userId, reason) } else { nil }
    }
    #expect(left == ("bob", .left))
    #expect(bob.state == .closed(.left))
    await ada.leave()
    await stage.server.stop()
  }

  @Test("tracks may have the same tag, in one call and in two") func repeatsTags() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    let events = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, tag: "desk", width: 320, height: 180, fps: 15)
    let another = LocalVideoTrack(codec: .vp8, tag: "desk", width: 320, height: 180, fps: 15)
    let microphone = LocalAudioTrack(tag: "desk")
    try await ada.publish([camera, microphone])
    try await ada.publish([another])
    var subscribed: Set<TrackID> = []
    for _ in 0..<3 {
      subscribed.insert(
        try await bob.first("trackSubscribed", in: events) { event in
          if case .trackSubscribed(let track) = event { track.info.trackId } else { nil }
        })
    }
    #expect(subscribed == Set([camera.trackId, another.trackId, microphone.trackId].compactMap { $0 }))
    #expect(subscribed.count == 3)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("an invalid token is rejected with the server's error") func refusesToken() async throws {
    let stage = try await Stage()
    await #expect(throws: RoomError.self) { _ = try await Room.connect(to: stage.url, token: "nonsense") }
    await stage.server.stop()
  }

  @Test("without a server the connection fails with the cause") func nobodyListens() async throws {
    let stage = try await Stage()
    let token = try stage.token("ada")
    let (url, port) = (stage.url, stage.server.port)
    await #expect(throws: RoomClientError.self) {
      _ = try await Room.connect(to: "ws://127.0.0.1:\(port)/nowhere", token: token)
    }
    await stage.server.stop()
    await #expect(throws: RoomClientError.self) { _ = try await Room.connect(to: url, token: token) }
    await #expect(throws: RoomClientError.invalidURL("http://x")) { _ = try await Room.connect(to: "http://x", token: token) }
  }

  @Test("over TLS the certificate is checked against the configured authorities, unless switched off")
  func checksCertificate() async throws {
    let stage = try await Stage()
    let files = try CertificateFiles()
    defer { withExtendedLifetime(files) {} }
    let relay = try await TCPRelay.start(to: Int(stage.server.port), tls: try SelfSigned.context())
    let url = "wss://localhost:\(relay.port)/v1/signal"
    let token = try stage.token("ada")
    await #expect(throws: RoomClientError.self) { _ = try await Room.connect(to: url, token: token) }
    await #expect(throws: RoomClientError.self) {
      _ = try await Room.connect(to: url, token: token, options: .init(trust: .certificates(path: "/nowhere.pem")))
    }
    for options in [RoomOptions(trust: .certificates(path: files.certificate)), RoomOptions(trust: .none)] {
      let ada = try await Room.connect(to: url, token: token, options: options)
      #expect(ada.state == .connected)
      await ada.leave()
    }
    relay.stop()
    await stage.server.stop()
  }

  @Test("an admin's kick ends the session and names the admin") func kicks() async throws {
    let stage = try await Stage()
    let operatorRoom = try await stage.join("eve", grants: [.publish, .subscribe, .admin])
    let ada = try await stage.join("ada")
    let events = ada.events()
    try await operatorRoom.kick(userId: "ada")
    let by = try await ada.first("kickedOut", in: events) { event in
      if case .kickedOut(let by) = event { by } else { nil }
    }
    #expect(by == "eve")
    let state = try await ada.first("closed", in: events) { event in
      if case .stateChanged(let state) = event { state } else { nil }
    }
    #expect(state == .closed(.kickedOut(by: "eve")))
    await #expect(throws: RoomClientError.closed) { try await ada.publish([LocalAudioTrack()]) }
    await operatorRoom.leave()
    await stage.server.stop()
  }

  @Test("a second join of the same user ends the first session") func duplicateLogin() async throws {
    let stage = try await Stage()
    let first = try await stage.join("ada")
    let events = first.events()
    let second = try await stage.join("ada")
    let state = try await first.first("closed", in: events) { event in
      if case .stateChanged(let state) = event { state } else { nil }
    }
    #expect(state == .closed(.duplicateLogin))
    #expect(second.state == .connected)
    await second.leave()
    await stage.server.stop()
  }

  @Test("statistics contain frames, bitrate and round-trip time of both directions") func tellsStatistics() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada", options: .init(statisticsInterval: .seconds(1)))
    let bob = try await stage.join("bob", options: .init(statisticsInterval: .seconds(1)))
    let (sent, got) = (ada.events(), bob.events())
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let local = try await ada.first("statistics", in: sent) { event -> TrackStatistics? in
      if case .statistics(let report) = event, let track = report.localTracks.first, track.fps > 5, track.kbps > 50,
        track.roundTripTime != nil
      {
        track
      } else {
        nil
      }
    }
    #expect(local.width == 320)
    let remote = try await bob.first("statistics", in: got) { event -> TrackStatistics? in
      if case .statistics(let report) = event, let track = report.remoteTracks.first, track.fps > 5, track.kbps > 50 {
        track
      } else {
        nil
      }
    }
    #expect(remote.userId == "ada")
    #expect(remote.loss < 0.2)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("the statistics interval can change while the room is open, also from none and to none") func changesInterval()
    async throws
  {
    let stage = try await Stage()
    let ada = try await stage.join("ada", options: .init(statisticsInterval: nil))
    let events = ada.events()
    func reports(_ count: Int) async throws {
      for _ in 0..<count {
        try await ada.first("statistics", in: events) { if case .statistics = $0 { () } else { nil } }
      }
    }
    await ada.setStatisticsInterval(.milliseconds(100))
    try await reports(3)
    await ada.setStatisticsInterval(.seconds(3600))
    await ada.setStatisticsInterval(nil)
    await ada.setStatisticsInterval(.milliseconds(200))
    try await reports(3)
    await ada.leave()
    await ada.setStatisticsInterval(.seconds(1))
    await stage.server.stop()
  }

  @Test("without automatic subscription the closure chooses, and more tracks can be subscribed") func choosesTracks()
    async throws
  {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let microphone = LocalAudioTrack()
    try await ada.publish([camera, microphone])
    let bob = try await stage.join(
      "bob", options: .init(autoSubscribe: false, shouldSubscribe: { _, track in track.kind == .audio }))
    let events = bob.events()
    func next(_ events: AsyncStream<RoomEvent>) async throws -> TrackKind {
      try await bob.first("trackSubscribed", in: events) { event in
        if case .trackSubscribed(let track) = event { track.kind } else { nil }
      }
    }
    #expect(try await next(events) == .audio)
    let id = try #require(camera.trackId)
    try await bob.subscribe(trackIds: [id])
    #expect(try await next(events) == .video)
    try await bob.unsubscribe(userIds: ["ada"])
    for _ in 0..<2 {
      try await bob.first("trackUnsubscribed", in: events) { event in
        if case .trackUnsubscribed = event { () } else { nil }
      }
    }
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("with automatic subscription the closure refuses tracks: nothing of them arrives until they are subscribed")
  func refusesTracks() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let microphone = LocalAudioTrack()
    try await ada.publish(audio: microphone, video: camera)
    let asked = Asked()
    let bob = try await stage.join(
      "bob",
      options: .init(shouldSubscribe: { userId, track in
        asked.note("\(userId) \(track.kind) \(track.tag)")
        return track.kind == .audio
      }))
    let events = bob.events()
    #expect(try await subscribed(bob, events).trackId == microphone.trackId)
    // A track that is published later, and one that is refused.
    let (screen, film) = (
      LocalVideoTrack(codec: .vp8, tag: "screen", width: 320, height: 180, fps: 15), LocalAudioTrack(tag: "film")
    )
    try await ada.publish([screen, film])
    #expect(try await subscribed(bob, events).trackId == film.trackId)
    #expect(bob.remoteTracks.allSatisfy { $0.kind == .audio })
    #expect(asked.all == ["ada audio film", "ada audio microphone", "ada video camera", "ada video screen"])
    try await bob.subscribe(trackIds: [try #require(camera.trackId)])
    #expect(try await subscribed(bob, events).trackId == camera.trackId)
    #expect(bob.remoteTracks.count == 3)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("audio and video are published, muted and unpublished by one call for each kind") func shortcuts() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    let events = bob.events()
    func next(_ what: String) async throws -> [TrackID?] {
      try await bob.first(what, in: events) { event in
        switch event {
        case .published("ada", let tracks) where what == "published": tracks.map(\.trackId)
        case .unpublished("ada", let trackIds) where what == "unpublished": trackIds
        case .muteChanged("ada", let trackId, let muted, _) where what == "muted \(muted)": [trackId]
        default: nil
        }
      }
    }
    try await ada.unpublishAudio()
    try await ada.muteVideo(true)
    let (microphone, camera) = (LocalAudioTrack(), LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15))
    try await ada.publish(audio: microphone, video: camera)
    #expect(try await next("published") == [microphone.trackId, camera.trackId])
    try await ada.muteAudio(true)
    #expect(try await next("muted true") == [microphone.trackId])
    #expect(microphone.isMuted && !camera.isMuted)
    try await ada.muteAudio(false)
    #expect(try await next("muted false") == [microphone.trackId])
    try await ada.muteVideo(true)
    #expect(try await next("muted true") == [camera.trackId])
    let (audioId, videoId) = (microphone.trackId, camera.trackId)
    try await ada.unpublishAudio()
    #expect(try await next("unpublished") == [audioId])
    try await ada.unpublishVideo()
    #expect(try await next("unpublished") == [videoId])
    try await ada.publishVideo(camera)
    #expect(try await next("published") == [camera.trackId])
    try await ada.publishAudio(microphone)
    #expect(try await next("published") == [microphone.trackId])
    #expect(ada.me?.tracks.count == 2)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("the first decoded picture of a video track results in one event") func tellsFirstPicture() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    let events = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    let microphone = LocalAudioTrack()
    try await ada.publish(audio: microphone, video: camera)
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    var tracks: [RemoteTrack] = []
    for _ in 0..<2 { tracks.append(try await subscribed(bob, events)) }
    // Audio has no pictures, and a second report has no effect.
    for track in tracks.sorted(by: { $0.kind.rawValue < $1.kind.rawValue }) + tracks { track.reportDecoded() }
    try await ada.unpublish()
    var decoded: [TrackID] = []
    var ended = 0
    for await event in events {
      if case .firstVideoFrameDecoded(let track) = event { decoded.append(track.trackId) }
      if case .trackUnsubscribed = event { ended += 1 }
      if ended == 2 { break }
    }
    #expect(decoded == tracks.filter { $0.kind == .video }.map(\.trackId))
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("audio levels and active speakers arrive only if requested") func tellsLevels() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob", options: .init(audioLevels: true))
    let events = bob.events()
    let microphone = LocalAudioTrack()
    try await ada.publish([microphone])
    let feeder = Feeder(microphone, level: -12)
    defer { feeder.stop() }
    let level = try await bob.first("audioLevels", in: events) { event -> Int? in
      if case .audioLevels(let levels) = event, let level = levels.first(where: { $0.userId == "ada" })?.level, level > -40 {
        level
      } else {
        nil
      }
    }
    #expect((-20...(-5)).contains(level))
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test(
    "audio levels can be switched on and off in the room, and the choice survives a lost connection and a lost session",
    arguments: [true, false])
  func switchesLevels(isForgotten: Bool) async throws {
    let stage = try await Stage { if isForgotten { $0.rooms.graceTime = .milliseconds(200) } }
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let policy = ReconnectPolicy(
      tries: 20, waits: [isForgotten ? .milliseconds(1500) ... .milliseconds(1600) : .milliseconds(50) ... .milliseconds(100)])
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob", options: .init(reconnect: policy), over: relay.port)
    let (hers, events) = (ada.events(), bob.events())
    let microphone = LocalAudioTrack()
    try await ada.publishAudio(microphone)
    let feeder = Feeder(microphone, level: -12)
    defer { feeder.stop() }
    func levels(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws {
      try await room.first("audioLevels", in: events) { event in
        if case .audioLevels(let levels) = event, levels.contains(where: { $0.userId == "ada" }) { () } else { nil }
      }
    }
    try await bob.setAudioLevels(true)
    try await levels(bob, events)
    relay.cut()
    try await bob.first("connected again", in: events) { if case .stateChanged(.connected) = $0 { () } else { nil } }
    try await levels(bob, events)
    // Only ada requested levels, so bob receives none.
    try await bob.setAudioLevels(false)
    let silent = bob.events()
    try await ada.setAudioLevels(true)
    for _ in 0..<3 { try await levels(ada, hers) }
    try await ada.messages.send("enough")
    try await bob.first("her message, and no levels before it", in: silent) { event in
      if case .audioLevels = event { Issue.record("levels that are switched off") }
      return if case .message = event { () } else { nil }
    }
    await ada.leave()
    await bob.leave()
    relay.stop()
    await stage.server.stop()
  }
}

/// The tracks that a closure was called with.
private final class Asked: Sendable {
  private let names = Shared<[String]>([])
  func note(_ name: String) { names.withLock { $0.append(name) } }
  var all: [String] { names.withLock { $0.sorted() } }
}
