import Foundation
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Lists of all nodes of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterListsTests {
  private struct Events: Decodable {
    struct Event: Decodable, Hashable {
      var id: Int64
      var time: Int64
      var kind: String
      var node: String
    }
    var events: [Event]
    var next: String?
    var unanswered: [String]
  }

  private struct Recordings: Decodable {
    struct Recording: Decodable {
      var name: String
      var node: String
    }
    var recordings: [Recording]
    var next: String?
    var unanswered: [String]
  }

  private struct Signed: Decodable { var url: String }

  private struct Alarms: Decodable {
    var unlisted: Int
    var unanswered: [String]
  }

  @Test(
    "history and alarms at any node are those of all, page by page; a file of another node is played in ranges, and deleted")
  func lists() async throws {
    let folders = (0..<3).map { _ in FileManager.default.temporaryDirectory.appending(path: "lists-\(UUID())") }
    defer { for folder in folders { try? FileManager.default.removeItem(at: folder) } }
    let media = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    for (number, folder) in folders.enumerated() {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(media).write(to: folder.appending(path: "show\(number).flv"))
    }
    var number = 0
    try await ClusterServers.with(
      3,
      {
        // The last node has no recordings.
        if number < 2 { $0.relay.recordings = .init(directory: folders[number].path) }
        number += 1
      }
    ) { cluster in
      for number in 0..<12 {
        #expect(try await cluster[number % 3].api("POST", "/v1/rooms", json: #"{"name":"room\#(number)"}"#).status == 201)
      }
      try await history(cluster)
      for server in cluster.servers {
        let alarms: Alarms = try await server.api("GET", "/v1/alarms").decoded()
        #expect(alarms.unanswered.isEmpty && alarms.unlisted == 0)
        let list: Recordings = try await server.api("GET", "/v1/recordings").decoded()
        #expect(Set(list.recordings.map { "\($0.node) \($0.name)" }) == ["n0 show0.flv", "n1 show1.flv"])
        #expect(list.unanswered.isEmpty && list.next == nil)
      }
      let page: Recordings = try await cluster[2].api("GET", "/v1/recordings?limit=1").decoded()
      let rest: Recordings = try await cluster[1].api("GET", "/v1/recordings?limit=1&after=\(page.next ?? "")").decoded()
      #expect(
        page.recordings.map(\.name) + rest.recordings.map(\.name) != [] && page.recordings[0].name != rest.recordings[0].name)
      try await file(cluster, media)
    }
  }

  private func history(_ cluster: ClusterServers) async throws {
    let whole = try await eventually("all rooms are in the history") {
      let all: Events = try await cluster[0].api("GET", "/v1/history/events?limit=1000").decoded()
      return all.events.count { $0.kind == "roomCreated" } == 12 ? all : nil
    }
    #expect(Set(whole.events.map(\.node)) == ["n0", "n1", "n2"] && whole.unanswered.isEmpty)
    #expect(zip(whole.events, whole.events.dropFirst()).allSatisfy { $0.time >= $1.time - 50 })
    #expect(whole.events.count { $0.kind == "serverStarted" } == 3)
    var found: [Events.Event] = []
    var query = ""
    for turn in 0..<whole.events.count {
      let page: Events = try await cluster[turn % 3].api("GET", "/v1/history/events?limit=4\(query)").decoded()
      #expect(page.events.count <= 4)
      found += page.events
      guard let next = page.next else { break }
      query = "&before=\(next)"
    }
    #expect(found == whole.events)
    #expect(try await cluster[0].api("GET", "/v1/history/events?before=none").status == 400)
    #expect(try await cluster[0].api("GET", "/v1/history/events?limit=0").status == 400)
    let one: Events = try await cluster[0].api("GET", "/v1/history/events?room=room3").decoded()
    #expect(one.events.count == 1)
  }

  private func file(_ cluster: ClusterServers, _ media: [UInt8]) async throws {
    let (server, path) = (cluster[2], "/v1/recordings/show1.flv")
    let facts = try await server.api("GET", path)
    #expect(facts.status == 200 && facts.text.contains(#""node":"n1""#))
    let whole = try await server.api("GET", "\(path)/file")
    #expect(whole.status == 200 && whole.body == media && whole.headers["content-type"] == "video/x-flv")
    let signed: Signed = try await server.api("POST", "\(path)/url", json: "{}").decoded()
    let part = try await server.http("GET", signed.url, headers: ["Range": "bytes=300000-600000"])
    #expect(part.status == 206 && part.body == Array(media[300_000...600_000]))
    #expect(part.headers["content-range"] == "bytes 300000-600000/700000")
    #expect(try await server.http("GET", signed.url, headers: ["Range": "bytes=700000-"]).status == 416)
    #expect(try await server.http("GET", "\(path)/file").status == 401)
    #expect(try await server.api("GET", "/v1/recordings/none.flv").status == 404)
    #expect(try await server.api("GET", "\(path)?node=n0").status == 404)
    #expect(try await cluster[0].api("DELETE", path).status == 204)
    #expect(try await cluster[1].api("GET", path).status == 404)
  }

  @Test("a node that does not answer is named in every list")
  func unanswered() async throws {
    var number = 0
    try await ClusterServers.with(
      2,
      {
        // Nobody listens there.
        if number == 1 { $0.cluster?.address = "http://127.0.0.1:1" }
        number += 1
      }
    ) { cluster in
      for path in [
        "/v1/history/events", "/v1/history/sessions", "/v1/history/lives", "/v1/streams", "/v1/alarms", "/v1/rooms",
        "/v1/nodes",
      ] {
        let answer = try await cluster[0].api("GET", path)
        #expect(answer.status == 200 && answer.text.contains(#""unanswered":["n1"]"#), "\(path): \(answer.text)")
        #expect(try await cluster[1].api("GET", path).text.contains(#""unanswered":[]"#), "\(path)")
      }
      let recording = try await cluster[0].api("GET", "/v1/recordings/show.flv")
      #expect(recording.status == 503 && recording.text.contains("n1"))
    }
  }

  @Test("parts become one list: in order, each entry once, also after a page without one of the nodes")
  func merging() throws {
    let list = try #require(ClusterLists.all["/v1/history/events"])
    func entry(_ id: Int64, _ time: Int64) -> MergedList.Entry { ["id": id, "time": time] }
    let (a, b, c): (NodeID, NodeID, NodeID) = ("a", "b", "c")
    let first = list.page(
      [
        .init(a, entries: [entry(9, 90), entry(8, 70)], hasMore: true),
        .init(b, entries: [entry(4, 80), entry(3, 60)], hasMore: false),
      ], after: nil, missing: [c], limit: 10)
    // The rest of a may be newer than 60.
    #expect(first.entries.compactMap { $0["time"] as? Int64 } == [90, 80, 70])
    let cursor = try #require(first.next)
    #expect(cursor.positions == ["a": "8", "b": "4", "c": ""])
    #expect(PageCursor(cursor.text) == cursor && PageCursor("none") == nil && PageCursor("") == nil)
    let second = list.page(
      [
        .init(a, entries: [entry(7, 50)], hasMore: false), .init(b, entries: [entry(3, 60)], hasMore: false),
        .init(c, entries: [entry(2, 95)], hasMore: false),
      ], after: cursor, missing: [], limit: 10)
    #expect(second.entries.compactMap { $0["id"] as? Int64 } == [2, 3, 7] && second.next == nil)
    #expect(list.page([.init(a, entries: [], hasMore: false)], after: cursor, missing: [b], limit: 10).next == nil)
  }
}
