import RoomLossyLink
import RoomRTP
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomClient

@Suite("A room whose network fails", .serialized, .timeLimit(.minutes(5)))
struct ReconnectTests {
  private let quick = ReconnectPolicy(
    tries: 5, waits: [.milliseconds(50) ... .milliseconds(100), .milliseconds(200) ... .milliseconds(300)])

  private func next(_ room: Room, _ events: AsyncStream<RoomEvent>, _ what: String, _ state: RoomState) async throws {
    try await room.first(what, in: events) { event in
      if case .stateChanged(let now) = event, now == state { () } else { nil }
    }
  }

  @Test("a cut signalling socket is resumed; media and subscriptions continue") func resumes() async throws {
    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let ada = try await stage.join("ada", options: .init(reconnect: quick), over: relay.port)
    let bob = try await stage.join("bob", options: .init(reconnect: quick), over: relay.port)
    let (mine, theirs) = (ada.events(), bob.events())
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let track = try await subscribed(bob, theirs)
    let frames = track.frames
    try await receive(5, from: frames, "frames before")
    let id = camera.trackId
    relay.cut()
    try await next(ada, mine, "reconnecting", .reconnecting(attempt: 1))
    try await next(ada, mine, "connected again", .connected)
    try await next(bob, theirs, "connected again", .connected)
    #expect(camera.trackId == id)
    try await receive(15, from: frames, "frames after")
    // Signalling works again, and so do the calls that depend on it.
    let microphone = LocalAudioTrack()
    try await ada.publish([microphone])
    #expect(try await subscribed(bob, theirs).kind == .audio)
    await ada.leave()
    await bob.leave()
    relay.stop()
    await stage.server.stop()
  }

  @Test("a silent socket is replaced") func noticesSilence() async throws {
    let stage = try await Stage { $0.keepAlive.pingInterval = .milliseconds(300) }
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let ada = try await stage.join("ada", options: .init(reconnect: quick), over: relay.port)
    let events = ada.events()
    relay.stall()
    try await next(ada, events, "reconnecting", .reconnecting(attempt: 1))
    try await next(ada, events, "connected again", .connected)
    await ada.leave()
    relay.stop()
    await stage.server.stop()
  }

  @Test("after a network change a dead socket is detected within seconds") func doubtsSocket() async throws {
    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let ada = try await stage.join("ada", options: .init(reconnect: quick), over: relay.port)
    let events = ada.events()
    relay.stall()
    let start = ContinuousClock.now
    await ada.networkChanged()
    try await next(ada, events, "reconnecting", .reconnecting(attempt: 1))
    // Three ping intervals would be fifteen seconds.
    #expect(ContinuousClock.now - start < .seconds(10))
    try await next(ada, events, "connected again", .connected)
    await ada.leave()
    relay.stop()
    await stage.server.stop()
  }

  @Test("the client follows a change of its address, if the app agrees") func followsNetwork() async throws {
    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let (notices, notice) = AsyncStream<Void>.makeStream()
    let source = Shared("192.0.2.1")
    let asked = Shared<[NetworkChange]>([])
    var options = RoomOptions(reconnect: quick)
    options.network = NetworkView(changes: { notices }, source: { _ in source.value })
    options.networkChange = .ask { change in
      asked.withLock { $0.append(change) }
      return change.to != "192.0.2.2"
    }
    let ada = try await stage.join("ada", options: options, over: relay.port)
    let events = ada.events()
    relay.stall()
    source.value = "192.0.2.2"
    notice.yield()
    try await eventually("the app is asked") { asked.value == [NetworkChange(from: "192.0.2.1", to: "192.0.2.2")] }
    #expect(ada.state == .connected)
    let start = ContinuousClock.now
    source.value = "192.0.2.3"
    notice.yield()
    try await next(ada, events, "reconnecting", .reconnecting(attempt: 1))
    // Three ping intervals would be fifteen seconds.
    #expect(ContinuousClock.now - start < .seconds(10))
    try await next(ada, events, "connected again", .connected)
    #expect(asked.value.count == 2)
    await ada.leave()
    relay.stop()
    await stage.server.stop()
  }

  @Test("the room is closed only after every try has failed") func givesUp() async throws {
    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let policy = ReconnectPolicy(tries: 2, waits: [.milliseconds(50) ... .milliseconds(100)])
    let ada = try await stage.join("ada", options: .init(reconnect: policy), over: relay.port)
    let events = ada.events()
    relay.cut(refusing: true)
    let states = try await within(.seconds(30), "the end") {
      var states: [RoomState] = []
      for await event in events {
        if case .stateChanged(let state) = event { states.append(state) }
      }
      return states
    }
    #expect(states.dropLast() == [.reconnecting(attempt: 1), .reconnecting(attempt: 2)])
    guard case .closed(.connectionLost) = try #require(states.last) else {
      Issue.record("ended as \(states)")
      return
    }
    relay.stop()
    await stage.server.stop()
  }

  @Test("after the server forgot the session, everything is published and subscribed again") func startsAnew() async throws {
    let stage = try await Stage { $0.rooms.graceTime = .milliseconds(200) }
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let slow = ReconnectPolicy(tries: 5, waits: [.milliseconds(1500) ... .milliseconds(1600)])
    let ada = try await stage.join("ada", options: .init(reconnect: slow), over: relay.port)
    let bob = try await stage.join("bob", options: .init(reconnect: slow))
    let (mine, theirs) = (ada.events(), bob.events())
    let camera = LocalVideoTrack(codec: .h264, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let first = try await subscribed(bob, theirs)
    try await receive(3, from: first.frames, "frames before")
    relay.cut()
    try await next(ada, mine, "connected again", .connected)
    let second = try await subscribed(bob, theirs)
    #expect(second.trackId != first.trackId)
    try await receive(10, from: second.frames, "frames after")
    #expect(camera.trackId == second.trackId)
    await ada.leave()
    await bob.leave()
    relay.stop()
    await stage.server.stop()
  }

  @Test("media continues from a new address without a new join") func changesNetwork() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    let events = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let frames = try await subscribed(bob, events).frames
    try await receive(5, from: frames, "frames before")
    await ada.networkChanged()
    try await receive(20, from: frames, "frames after the publisher moved")
    await bob.networkChanged()
    try await receive(20, from: frames, "frames after the receiver moved")
    #expect(ada.state == .connected)
    #expect(bob.state == .connected)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("a dead media path is replaced by a new transport; the track continues") func replacesTransport() async throws {
    let stage = try await Stage()
    let port = try #require(stage.server.mediaPorts.first)
    let link = try LossyLink(to: port, seed: 1)
    // Both directions of ada's media use the link while it exists, later the direct path.
    let way = Shared<UInt16?>(link.port)
    var options = RoomOptions()
    options.mediaAddressOverride = { address in
      way.withLock { port in port.map { TransportAddress(ipv4: 0x7F00_0001, port: $0) } ?? address }
    }
    let ada = try await stage.join("ada", options: options)
    let bob = try await stage.join("bob")
    let (mine, theirs) = (ada.events(), bob.events())
    let (hers, his) = (
      LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15),
      LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    )
    try await ada.publish([hers])
    try await bob.publish([his])
    let feeders = [Feeder(hers), Feeder(his)]
    defer { for feeder in feeders { feeder.stop() } }
    let (fromBob, fromAda) = (try await subscribed(ada, mine), try await subscribed(bob, theirs))
    let id = hers.trackId
    try await receive(5, from: fromAda.frames, "her frames before")
    try await receive(5, from: fromBob.frames, "his frames before")
    link.stop()
    way.withLock { $0 = nil }
    var lost: Set<TransportKind> = []
    while lost.count < 2 {
      lost.insert(
        try await ada.first("the loss", in: mine) { event in
          if case .mediaConnectionChanged(let direction, connected: false) = event { direction } else { nil }
        })
    }
    var back: Set<TransportKind> = []
    while back.count < 2 {
      back.insert(
        try await ada.first("the repair", in: mine) { event in
          if case .mediaConnectionChanged(let direction, connected: true) = event { direction } else { nil }
        })
    }
    #expect(hers.trackId == id)
    let track = try #require(bob.remoteTracks.first { $0.trackId == id })
    try await receive(15, from: track.frames, "her frames after")
    try await receive(15, from: fromBob.frames, "his frames after")
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }
}
