import Foundation
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomLoadtest

extension RealMedia {
  /// An owner of a room and two edges of it, of which one ends.
  @Suite("Clients of an edge that ends continue at another node", .enabled(if: RedisServer.isInstalled))
  struct EdgeHandoverTests {
    private static let viewers = 3

    private struct Nodes {
      let redis: RedisServer
      let cluster: ClusterProcesses
      let owner: ServerProcess
      let edges: [ServerProcess]

      init() async throws {
        redis = try await RedisServer()
        cluster = try await ClusterProcesses(
          3, on: "redis://127.0.0.1:\(redis.port)", ["--workers", "1", "--edge", "--drain", "30"])
        let room = #"{"name":"room","audience":"separate"}"#
        #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: room).status == 201)
        owner = try #require(try await cluster.owner(of: "room"))
        edges = cluster.others(than: owner)
      }

      func ear(_ user: UserID, at server: ServerProcess) async throws -> Ear {
        Ear(try await Room.connect(to: server.url, token: try server.token(user: user, room: "room", grants: .subscribe)))
      }
    }

    @Test(
      "a drain: their pictures and sounds continue, they keep their sessions, tracks and seats, and the node ends at once",
      .timeLimit(.minutes(2)))
    func drained() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: 440)
      let guest = try await Participant.join(nodes.edges[0], room: "room", as: "guest")
      let seat = try await guest.room.seats.take()
      try await guest.publish(video: .vp8, tone: 660)
      var viewers: [Ear] = []
      for number in 0..<Self.viewers { viewers.append(try await nodes.ear("viewer\(number)", at: nodes.edges[0])) }
      let observer = try await nodes.ear("observer", at: nodes.owner)
      let guests = Ear(guest.room)
      let all = viewers + [observer]
      try await eventually("all see and hear both") {
        all.allSatisfy { $0.seen == ["anchor", "guest"] && $0.heard == ["anchor", "guest"] } && guests.seen == ["anchor"]
      }
      let tracks = viewers.map { Set($0.room.remoteTracks.map(ObjectIdentifier.init)) }
      let published = Set(anchor.remoteTracks(of: "guest").map(\.trackId))
      let left = Shared(0)
      let events = anchor.room.events()
      let watching = Task { for await event in events { if case .left = event { left.withLock { $0 += 1 } } } }
      defer { watching.cancel() }
      for ear in all + [guests] { ear.begin() }
      let changes = Shared<[RoomEvent]>([])
      let own = guest.room.events()
      let noting = Task {
        for await event in own {
          switch event {
          // What it publishes has a short break.
          case .stateChanged, .mediaConnectionChanged(.subscribe, _), .trackSubscribed, .trackUnsubscribed, .unpublished:
            changes.withLock { $0.append(event) }
          default: break
          }
        }
      }
      defer { noting.cancel() }

      let begin = ContinuousClock.now
      #expect(try await nodes.edges[0].api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      try await eventually("the node has ended") { !nodes.edges[0].isRunning }
      print("drained after \(ContinuousClock.now - begin)")
      #expect(try await nodes.edges[1].metric("roomserver_edge_clients") == Self.viewers + 1)
      try await Task.sleep(for: .seconds(1))
      for ear in all + [guests] {
        let report = ear.report
        print("\(ear.room.me?.userId ?? "?"): freeze \(report.freeze), silence \(report.silence)")
        #expect(report.isConnected && report.returns == 0 && report.freeze < .seconds(1.5) && report.silence < .seconds(1.5))
      }
      #expect(viewers.map { Set($0.room.remoteTracks.map(ObjectIdentifier.init)) } == tracks)
      #expect(Set(anchor.remoteTracks(of: "guest").map(\.trackId)) == published)
      #expect(anchor.room.snapshot?.seats.first { $0.userId == "guest" }?.index == seat)
      #expect(left.value == 0)
      #expect(changes.value.isEmpty, "\(changes.value)")
      for ear in all { await ear.leave() }
      for participant in [guest, anchor] { await participant.leave() }
    }

    @Test("an edge is killed: pictures within 2 s at another node, in the same session", .timeLimit(.minutes(2)))
    func killed() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: 440)
      var viewers: [Ear] = []
      for number in 0..<Self.viewers { viewers.append(try await nodes.ear("viewer\(number)", at: nodes.edges[0])) }
      try await eventually("all see and hear") {
        viewers.allSatisfy { $0.seen == ["anchor"] && $0.heard == ["anchor"] }
      }
      for ear in viewers { ear.begin() }
      nodes.edges[0].kill()
      try await eventually("all are back") {
        viewers.allSatisfy { $0.report.returns == 1 && $0.report.isConnected }
      }
      try await Task.sleep(for: .seconds(3))
      for ear in viewers {
        let report = ear.report
        print("\(ear.room.me?.userId ?? "?"): freeze \(report.freeze), silence \(report.silence)")
        #expect(report.isConnected && report.freeze < .seconds(4) && report.silence < .seconds(4))
      }
      for ear in viewers { await ear.leave() }
      await anchor.leave()
    }
  }
}
