import RoomProtocol
import RoomTestSupport
import Testing

/// A publisher and a viewer of one room, who joined by any node of a cluster.
struct Pair {
  let alice: Participant
  let bob: Participant

  /// Returns when bob sees and hears alice.
  init(_ server: ServerProcess, room: RoomName) async throws {
    alice = try await Participant.join(server, room: room, as: "alice")
    bob = try await Participant.join(server, room: room, as: "bob")
    try await alice.publish(video: .vp8, tone: 440)
    let bob = bob
    try await eventually("bob sees and hears alice") {
      bob.pictures(of: "alice").decoded > 10 && bob.sound(of: "alice").hears(440)
    }
  }

  /// Whether both are in the room.
  var isTogether: Bool { isTogether(with: 0) }

  /// Whether both are in the room, with a number of other participants.
  func isTogether(with others: Int) -> Bool {
    alice.room.state == .connected && bob.room.state == .connected && alice.room.participants.count == 1 + others
  }

  /// Waits for more pictures.
  func continues(_ count: Int = 15, within limit: Duration = .seconds(60)) async throws {
    let (bob, before) = (bob, bob.pictures(of: "alice").decoded)
    try await eventually("bob sees \(count) more pictures", within: limit) {
      bob.pictures(of: "alice").decoded >= before + count
    }
  }

  func leave() async {
    await alice.leave()
    await bob.leave()
  }
}
