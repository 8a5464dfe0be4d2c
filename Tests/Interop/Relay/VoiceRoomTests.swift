import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A voice room")
  struct VoiceRoomTests {
    @Test(
      "listeners receive all seated users in one track, speakers all but themselves; a user who leaves the seat is no longer audible",
      .timeLimit(.minutes(2)))
    func seats() async throws {
      try await withServer { server in
        let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","audience":"voice","seatsHost":false}"#)
        #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        let layout = try await server.api("POST", "/v1/rooms/demo/calls/setLayout", json: #"{"type":"gridNine"}"#)
        #expect(layout.status == 200, "\(String(decoding: layout.body, as: UTF8.self))")
        let listener = try await Participant.join(server, as: "listener", grants: [.subscribe])
        let tones: [UserID: Double] = ["a": 400, "b": 700, "c": 1100]
        var speakers: [UserID: Participant] = [:]
        for (user, tone) in tones.sorted(by: { $0.key < $1.key }) {
          let speaker = try await Participant.join(server, as: user)
          _ = try await speaker.room.seats.take()
          try await speaker.publish(video: nil, tone: tone)
          speakers[user] = speaker
        }
        try await eventually("the listener hears all three in one track") {
          tones.values.allSatisfy { listener.sound(of: "@mix").hears($0) }
        }
        #expect(listener.room.remoteTracks.count == 1)
        for (user, tone) in tones {
          try await eventually("\(user) hears the others and not itself") {
            guard let speaker = speakers[user] else { return false }
            let sound = speaker.sound(of: "@mix")
            return tones.values.allSatisfy { $0 == tone ? !sound.hears($0) : sound.hears($0) }
          }
        }
        let up = try #require(speakers["b"])
        try await up.room.seats.leave()
        try await eventually("the user who left the seat is no longer audible") {
          let sound = listener.sound(of: "@mix")
          return sound.hears(400) && sound.hears(1100) && !sound.hears(700)
        }
        try await eventually("and hears both others") {
          up.sound(of: "@mix").hears(400) && up.sound(of: "@mix").hears(1100)
        }
        for participant in Array(speakers.values) + [listener] { await participant.leave() }
      }
    }
  }
}
