import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("A room whose server is drained", .serialized, .timeLimit(.minutes(2)))
struct DrainedServerTests {
  private let quick = ReconnectPolicy(
    tries: 5, waits: [.milliseconds(50) ... .milliseconds(100), .milliseconds(200) ... .milliseconds(300)])

  @Test("the room moves to the other server with its tracks and jobs, and later participants are redirected")
  func moves() async throws {
    let (old, new) = (try await Stage { $0.relay.broadcasts.patience = 60_000_000 }, try await Stage())
    let ada = try await old.join("ada", grants: [.publish, .subscribe, .relay], options: .init(reconnect: quick))
    let bob = try await old.join("bob", options: .init(reconnect: quick))
    let camera = LocalVideoTrack(codec: .h264, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    try await ada.jobs.start(
      ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/hall?serialnum=4", kinds: [.video]))
    let theirs = bob.events()
    let draining = Task { await old.server.drain(for: .seconds(1), redirect: new.url) }
    // A room that does not exist yet is redirected at once.
    let late = try await within(.seconds(10), "a late participant is redirected to the other server") {
      while true {
        let room = try await Room.connect(to: old.url, token: try old.token("eve", room: "other"))
        if await new.server.metricsText().contains("\nroomserver_participants 1\n") { return room }
        await room.leave()
      }
    }
    #expect(late.state == .connected)
    #expect(ada.state == .connected && bob.state == .connected)
    await draining.value
    await old.server.stop()
    _ = try await bob.first("bob joined", in: theirs) { event in
      if case .stateChanged(.connected) = event { true } else { nil }
    }
    let track = try await subscribed(bob, theirs)
    try await receive(10, from: track.frames, "frames over the other server")
    try await eventually("the job exists too", within: .seconds(10)) {
      ada.jobs.all.contains { $0.jobId == "live" && $0.onAir == true }
    }
    for room in [ada, bob, late] { await room.leave() }
    await new.server.stop()
  }
}
