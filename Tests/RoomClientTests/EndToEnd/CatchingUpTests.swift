import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Changes while a connection is lost", .serialized, .timeLimit(.minutes(3)))
struct CatchingUpTests {
  private let quick = ReconnectPolicy(tries: 50, waits: [.milliseconds(200) ... .milliseconds(300)])

  /// Cuts a client's connection, runs `what`, and restores the connection.
  private func miss(_ relay: TCPRelay, _ room: Room, _ what: () async throws -> Void) async throws {
    relay.cut(refusing: true)
    try await eventually("the loss") { room.state != .connected }
    try await what()
    relay.accept()
    try await eventually("the return") { room.state == .connected }
  }

  @Test("each missed change arrives after the reconnection, in order; withdrawn tracks can be published again") func replays()
    async throws
  {
    try await onStage { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada", options: RoomOptions(reconnect: quick), over: relay.port)
      let microphone = LocalAudioTrack()
      try await ada.seats.take(1, publishing: [microphone])
      let events = ada.events()
      try await ada.first("her own seat", in: events) { if case .seatChanged = $0 { () } else { nil } }
      try await miss(relay, ada) {
        try await host.messages.send("one")
        try await host.attributes.set(["a": "1"])
        try await host.seats.kick("ada")
        try await host.messages.send("two")
      }
      var told: [String] = []
      for _ in 0..<4 {
        told.append(
          try await ada.first("what was missed", in: events) { event in
            switch event {
            case .message(let message): message.text
            case .attributesChanged(let data): "\(data.set)"
            case .seatChanged(let data): "\(data.cause)"
            case .refreshed: "refreshed"
            default: nil
            }
          })
      }
      #expect(told == ["one", #"["a": "1"]"#, "kicked", "two"])
      #expect(ada.seats.mine == nil)
      #expect(microphone.trackId == nil)
      try await ada.publish([microphone])
      await ada.leave()
      await host.leave()
      relay.stop()
    }
  }

  @Test("too many missed changes result in one refreshed event, after the messages") func refreshes() async throws {
    try await onStage({ $0.rooms.rules.journalEntries = 4 }) { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada", options: RoomOptions(reconnect: quick), over: relay.port)
      let events = ada.events()
      try await miss(relay, ada) {
        for number in 0..<6 { try await host.messages.send("\(number)") }
        try await host.seats.setLayout(.gridFour)
      }
      var texts: [String?] = []
      let refreshed = try await within(.seconds(20), "the refreshed event") { () -> ([String?], RoomSnapshot) in
        var texts: [String?] = []
        for await event in events {
          if case .message(let message) = event { texts.append(message.text) }
          if case .refreshed(let room) = event { return (texts, room) }
        }
        throw DidNotHappen(what: "the events ended")
      }
      texts = refreshed.0
      #expect(texts == (0..<6).map { "\($0)" })
      #expect(refreshed.1.layout.type == .gridFour)
      #expect(ada.seats.all.count == 4)
      await ada.leave()
      await host.leave()
      relay.stop()
    }
  }

  @Test("a participant that returns too late has no seat and publishes nothing") func losesSeat() async throws {
    try await onStage({ $0.rooms.graceTime = .milliseconds(200) }) { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let host = try await stage.host("hal")
      let his = host.events()
      let ada = try await stage.join("ada", options: RoomOptions(reconnect: quick), over: relay.port)
      let (events, microphone) = (ada.events(), LocalAudioTrack())
      try await ada.seats.take(1, publishing: [microphone])
      relay.cut(refusing: true)
      try await host.first("she left", in: his) { if case .left("ada", .timedOut) = $0 { () } else { nil } }
      relay.accept()
      try await ada.first("the refreshed event", in: events) { if case .refreshed = $0 { () } else { nil } }
      try await eventually("her tracks can be published again") { microphone.trackId == nil }
      #expect(ada.seats.mine == nil)
      try await ada.seats.take(1, publishing: [microphone])
      #expect(microphone.trackId != nil)
      await ada.leave()
      await host.leave()
      relay.stop()
    }
  }

  @Test("a participant that lost the right to publish with its seat does not repeat rejected calls")
  func losesRight() async throws {
    try await onStage({ $0.rooms.graceTime = .milliseconds(200) }) { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let host = try await stage.host("hal")
      let his = host.events()
      let ada = try await stage.join("ada", grants: [.subscribe], options: RoomOptions(reconnect: quick), over: relay.port)
      let microphone = LocalAudioTrack()
      try await host.seats.invite("ada")
      try await eventually("she receives the event") { !ada.seats.invitations.isEmpty }
      try await ada.seats.acceptInvitation(publishing: [microphone])
      relay.cut(refusing: true)
      try await host.first("she left", in: his) { if case .left("ada", .timedOut) = $0 { () } else { nil } }
      relay.accept()
      try await eventually("her tracks can be published again") { ada.state == .connected && microphone.trackId == nil }
      await ada.leave()
      await host.leave()
      relay.stop()
    }
  }
}
