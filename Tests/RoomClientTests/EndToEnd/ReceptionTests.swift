import RoomProtocol
import RoomRTP
import Synchronization
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Receptions, with a real server", .serialized, .timeLimit(.minutes(3)))
struct ReceptionTests {
  @Test("a paused track sends nothing, and resumes at a key frame")
  func pause() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob", options: .init(preferSmall: true))
    let events = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publishVideo(camera)
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let remote = try await bob.first("trackSubscribed", in: events) { event in
      if case .trackSubscribed(let track) = event { track } else { nil }
    }
    let keys = Mutex<[Bool]>([])
    let reader = Task { for await frame in remote.frames { keys.withLock { $0.append(frame.isKeyFrame) } } }
    defer { reader.cancel() }
    @Sendable func count() -> Int { keys.withLock(\.count) }
    try await within(.seconds(30), "frames") { while count() < 10 { try await Task.sleep(for: .milliseconds(20)) } }
    try await remote.setReception(isPaused: true)
    let paused = try await within(.seconds(30), "silence") {
      var before = -1
      while before != count() {
        before = count()
        try await Task.sleep(for: .milliseconds(600))
      }
      return before
    }
    try await remote.setReception(maxHeight: 90)
    try await within(.seconds(30), "more frames") {
      while count() < paused + 10 { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(keys.withLock { $0[paused] }, "the first frame after the pause")
    await #expect(throws: RoomError.self) { try await remote.setReception(maxHeight: 0) }
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }
}
