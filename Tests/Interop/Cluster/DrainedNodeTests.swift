import Foundation
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomLoadtest

extension RealMedia {
  /// A node of a cluster that is drained moves its rooms.
  @Suite("A drained node", .enabled(if: RedisServer.isInstalled))
  struct DrainedNodeTests {
    /// The silence that a listener may have: 2 s on a quiet machine.
    private static let limit = Duration.seconds(5)

    @Test(
      "its room is at another node with its clients; a listener hears nothing for a moment; the job's timestamps continue on its URL",
      .timeLimit(.minutes(2)))
    func moves() async throws {
      let redis = try await RedisServer()
      let sink = try await LiveSink()
      let cluster = try await ClusterProcesses(
        2, on: "redis://127.0.0.1:\(redis.port)", ["--relay-target", "127.0.0.1", "--drain", "30"])
      let made = try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#)
      #expect(made.status == 201)
      let owner = try #require(try await cluster.owner(of: "room"))
      let other = cluster.others(than: owner)[0]
      let alice = try await Participant.join(owner, room: "room", as: "alice")
      try await alice.publish(video: .h264, tone: 440)
      let bob = Ear(try await Room.connect(to: other.url, token: try other.token(user: "bob", room: "room")))
      let job = #"{"jobId":"live","userId":"alice","publishUrl":"\#(sink.url("room"))"}"#
      #expect(try await other.api("POST", "/v1/rooms/room/jobs", json: job).status == 201)
      #expect(
        try await other.api("POST", "/v1/rooms/room/calls/setAttributes", json: #"{"set":{"topic":"drain"}}"#).status == 200)
      try await eventually("bob hears and sees alice, and the job sends") {
        bob.heard == ["alice"] && bob.seen == ["alice"] && sink.stream("room").messages > 100
      }
      let before = sink.stream("room")
      bob.begin()

      let begin = ContinuousClock.now
      #expect(try await owner.api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      // A client that does not know the room's node arrives while it moves.
      let eve = try await Room.connect(to: other.url, token: try other.token(user: "eve", room: "room"))
      try await eventually("the drain is over, and the node has ended") { !owner.isRunning }
      let drained = ContinuousClock.now - begin
      #expect(try await cluster.owner(of: "room") === other)
      try await eventually("both are back, and the job sends") {
        bob.report.returns > 0 && alice.room.state == .connected && sink.stream("room").messages > before.messages + 100
      }
      let (report, stream) = (bob.report, sink.stream("room"))
      print("drained after \(drained), silence \(report.silence), freeze \(report.freeze), timestamps \(stream.longestStep) ms")
      #expect(report.silence < Self.limit && report.freeze < Self.limit && report.isConnected)
      #expect(stream.connections == before.connections + 1)
      #expect(stream.backward == 0 && stream.longestStep < 5000 + Int64(before.longestStep))
      let state = try JSONDecoder().decode(
        RoomSnapshot.self, from: Data(try await other.api("GET", "/v1/rooms/room/state").body.utf8))
      #expect(state.attributes["topic"] == "drain" && state.jobs.map(\.jobId) == ["live"])
      #expect(owner.text.contains("room moved") && eve.state == .connected)
      await alice.leave()
      await bob.leave()
      await eve.leave()
      await sink.stop()
    }
  }
}
