import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomLoadtest

extension RealMedia {
  /// Three nodes and a Redis, each in a network namespace. A node is killed, which owns a room in a PK with another node's.
  @Suite("A node that is killed in a PK")
  struct KilledOwnerTests {
    /// The time in which the room, its job and its clients return.
    private static let limit = Duration.seconds(5)

    @Test(
      "its room, the job and the clients are at another node within 5 s, and the PK continues; a voice room notices nothing",
      .timeLimit(.minutes(2)))
    func killed() async throws {
      let faults = try await ClusterFaults(3, ["--no-edge"])
      let servers = faults.servers
      let sink = try await LiveSink(host: faults.network.address)
      for (node, name) in ["red", "blue", "voice"].enumerated() { try await faults.makeRoom(RoomName(name), at: node) }

      // The clients of the first node's room joined by others: who knows only the address of a dead node can't return.
      let grants: Grants = [.publish, .subscribe, .admin]
      let ann = try await Participant.join(servers[2], room: "red", as: "ann", grants: grants)
      let ben = try await Participant.join(servers[2], room: "blue", as: "ben", grants: grants)
      try await ann.publish(video: .h264, tone: 440)
      try await ben.publish(video: .vp8, tone: 880)
      var audience: [Ear] = []
      var speakers: [Participant] = []
      for (number, server) in servers.enumerated() {
        if number > 0 { audience.append(try await ear("viewer\(number)", in: "red", at: server)) }
        speakers.append(try await Participant.join(server, room: "voice", as: UserID("speaker\(number)")))
        try await speakers[number].publish(video: nil, tone: 300 + 100 * Double(number))
      }
      let listener = try await ear("listener", in: "voice", at: servers[0])
      try await Anchors.meet(ann.room, ben.room)
      let pk = try #require(ann.room.pk.current?.pkId)
      let job = #"{"jobId":"live","userId":"ann","publishUrl":"\#(sink.url("red"))"}"#
      #expect(try await servers[1].api("POST", "/v1/rooms/red/jobs", json: job).status == 201)
      let anchors: Set<UserID> = ["ann", "ben@blue"]
      try await eventually("all see and hear both anchors, or hear all speakers, and the job sends") {
        audience.allSatisfy { $0.heard == anchors && $0.seen == anchors } && ben.pictures(of: "ann@red").decoded > 5
          && listener.heard == Set(speakers.map(\.user)) && sink.stream("red").messages > 100
      }
      let before = sink.stream("red")
      for ear in audience + [listener] { ear.begin() }

      servers[0].kill()
      let begin = ContinuousClock.now
      let next = try await eventually("another node owns the room", within: Self.limit) { try await faults.owner(of: "red") }
      let claimed = ContinuousClock.now - begin
      let returns = {
        audience.map { "\($0.report.returns) returns, \($0.report.isConnected ? "connected" : "away")" }
      }
      try await eventually(
        "all clients are back: ann is \(ann.room.state), PK \(ann.room.pk.current.debugDescription); viewers: \(returns())"
      ) {
        ann.room.state == .connected && ann.room.pk.current?.pkId == pk
          && audience.allSatisfy { $0.report.returns > 0 && $0.report.isConnected }
      }
      let back = ContinuousClock.now - begin
      try await eventually("the job is on the air again") {
        sink.stream("red").connections > before.connections && sink.stream("red").messages > before.messages + 20
      }
      let onAir = ContinuousClock.now - begin
      let pictures = (ann.pictures(of: "ben@blue").decoded, ben.pictures(of: "ann@red").decoded)
      try await eventually("pictures both ways") {
        ann.pictures(of: "ben@blue").decoded > pictures.0 + 5 && ben.pictures(of: "ann@red").decoded > pictures.1 + 5
      }
      let (stream, undisturbed) = (sink.stream("red"), listener.report)
      print(
        "room after \(claimed), clients after \(back), job after \(onAir), pictures both ways after",
        "\(ContinuousClock.now - begin); timestamps \(stream.longestStep) ms; silence of the voice room \(undisturbed.silence)")
      #expect(next != 0 && back < Self.limit + .seconds(1) && onAir < Self.limit + .seconds(1))
      #expect(stream.backward == 0 && stream.longestStep < 6000 + Int64(before.longestStep))
      #expect(ben.room.state == .connected && ben.room.pk.current?.pkId == pk)
      #expect(undisturbed.returns == 0 && undisturbed.isConnected && undisturbed.silence < .seconds(2))
      for participant in [ann, ben] + speakers { await participant.leave() }
      for ear in audience + [listener] { await ear.leave() }
      await sink.stop()
    }

    private func ear(_ user: UserID, in room: RoomName, at server: ServerProcess) async throws -> Ear {
      Ear(try await Room.connect(to: server.url, token: try server.token(user: user, room: room, grants: [.subscribe])))
    }
  }
}
