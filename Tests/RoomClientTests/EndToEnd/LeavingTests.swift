import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Leaving a room", .serialized, .timeLimit(.minutes(1)))
struct LeavingTests {
  @Test("a leave right after the stop of a job delivers the job's end", arguments: 1...5) func stoppedJob(_: Int) async throws {
    try await onStage { stage in
      let ada = try await stage.host("ada")
      let (events, jobs) = (ada.events(), ada.jobs.events())
      let microphone = LocalAudioTrack()
      try await ada.publish([microphone])
      let feeder = Feeder(microphone)
      defer { feeder.stop() }
      try await ada.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/hall", kinds: [.audio]))
      try await ada.jobs.stop("live")
      await ada.leave()
      var reasons: [JobEndReason] = []
      for await case .ended("live", let reason, nil) in jobs { reasons.append(reason) }
      #expect(reasons == [.stopped])
      var order: [String] = []
      for await event in events {
        switch event {
        case .jobEnded: order.append("ended")
        case .stateChanged(.closed(.left)): order.append("left")
        default: break
        }
      }
      #expect(order == ["ended", "left"])
    }
  }

  @Test("messages that the server sent before the leave are delivered") func messages() async throws {
    try await onStage { stage in
      let (ada, bob) = (try await stage.join("ada"), try await stage.join("bob"))
      let messages = bob.messages.events()
      for number in 0..<20 { try await ada.messages.send("\(number)") }
      await bob.leave()
      var texts: [String] = []
      for await message in messages { texts.append(message.text ?? "") }
      #expect(texts == (0..<20).map(String.init))
      await ada.leave()
    }
  }

  @Test("with a server that does not answer it ends nevertheless") func silentServer() async throws {
    try await onStage { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let ada = try await stage.join("ada", over: relay.port)
      relay.stall()
      try await within(.seconds(10), "the end of the leave") { await ada.leave() }
      #expect(ada.state == .closed(.left))
      relay.stop()
    }
  }
}
