import RoomClient
import RoomTestSupport
import Testing
import RoomProtocol

extension RealMedia {
  @Suite("A full room")
  struct TenParticipantsTests {
    @Test("ten participants all receive each other", .timeLimit(.minutes(5)))
    func everyoneDecodesEveryone() async throws {
      try await withServer { server in
        let names = (0..<10).map { UserID("user\($0)") }
        var participants: [Participant] = []
        for name in names { participants.append(try await Participant.join(server, as: name)) }
        for (index, participant) in participants.enumerated() {
          try await participant.publish(video: index.isMultiple(of: 2) ? .h264 : .vp8, tone: 300 + 100 * Double(index))
        }
        for participant in participants {
          for (index, name) in names.enumerated() where name != participant.user {
            try await eventually("\(participant.user) sees \(name)", within: .seconds(90)) {
              participant.pictures(of: name).decoded >= 15
            }
            try await eventually("\(participant.user) hears \(name)", within: .seconds(90)) {
              participant.sound(of: name).hears(300 + 100 * Double(index))
            }
          }
        }
        for participant in participants { await participant.leave() }
        try await eventually("the server has no transport") { try await server.metric("roomserver_transports") == 0 }
      }
    }
  }
}
