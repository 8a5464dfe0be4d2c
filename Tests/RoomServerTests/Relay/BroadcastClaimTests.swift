import Foundation
import NIOCore
import RoomRelay
import RoomProtocol
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("The broadcasts that a token may start and take over")
struct BroadcastClaimTests {
  /// The address of a missing RTMP server: jobs to it keep retrying.
  private static let external = "rtmp://127.0.0.1:1/live/secretkey"

  /// Runs a server on which the room "victim" broadcasts to its own stream, to another server and into a file.
  private func withVictim(
    _ body: (_ server: TestServer, _ victim: SignalClient, _ evil: SignalClient) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "claims-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let targets = try RelayTargets(parsing: ["127.0.0.1"])
    try await TestServer.with({
      $0.relay.recordings = .init(directory: folder.path)
      $0.relay.broadcasts.targets = targets
    }) { server in
      let victim = try await server.join("host", room: "victim", grants: [.publish, .subscribe, .admin, .relay])
      for (id, url): (JobID, String) in [
        ("live", "rtmp://origin/live/victim"), ("away", Self.external), ("tape", "file:tape.mp4"),
      ] {
        _ = try await victim.call(.startForward(ForwardParams(jobId: id, publishUrl: url)), JobInfo.self)
      }
      let evil = try await server.join("eve", room: "evil", grants: [.relay])
      try await body(server, victim, evil)
    }
  }

  private func jobs(_ server: TestServer, _ room: RoomName) async throws -> [JobID] {
    struct Jobs: Decodable {
      struct Detail: Decodable { var job: JobInfo }
      var jobs: [Detail]
    }
    return try await server.api("GET", "/v1/rooms/\(room)/jobs").decoded(Jobs.self).jobs.map(\.job.jobId).sorted()
  }

  /// Returns the errors of a forward and of a merge job; nil for those that start.
  private func refusals(_ client: SignalClient, _ url: String) async throws -> [ErrorCode?] {
    let layouts = [TrackLayout(userId: "nobody")]
    let merge = MergeParams(jobId: "m", publishUrl: url, layouts: layouts)
    return [
      try await client.error(of: .startForward(ForwardParams(jobId: "f", publishUrl: url)))?.code,
      try await client.error(of: .startMerge(merge))?.code,
    ]
  }

  @Test("a room token neither takes over nor reserves another room's broadcast, however the URL is written")
  func hijack() async throws {
    try await withVictim { server, victim, evil in
      let port = try #require(server.server.rtmpPort)
      let names = [
        "live/victim?serialnum=2", "live/victim?x=1&serialnum=2", "live2/victim", "live/unused", "live/victim_640_360_15",
        "live/evil_640_360_15", "live/Evil", "live/evil-2",
      ]
      let hosts = [
        "origin", "ORIGIN", "origin:7", "127.0.0.1:\(port)", "localhost:\(port)", "LocalHost:\(port)", "[::1]:\(port)",
      ]
      for url in hosts.flatMap({ host in names.map { "rtmp://\(host)/\($0)" } }) + [
        "rtmps://origin/live/victim?serialnum=2", "\(Self.external)?serialnum=2", "file:tape.mp4?serialnum=2",
      ] {
        #expect(try await refusals(evil, url) == [.noPermission, .noPermission], "\(url)")
      }
      for name in ["live/%76ictim?serialnum=2", "live/victim%20?serialnum=2", "live/../victim", "room/evil"] {
        #expect(try await refusals(evil, "rtmp://origin/\(name)") == [.cdnParameters, .cdnParameters], "\(name)")
      }
      #expect(try await jobs(server, "evil") == [])
      #expect(try await jobs(server, "victim") == ["away", "live", "tape"])
      #expect(try await server.metric("roomserver_broadcast_takeovers_total") == 0)
      // A room's own stream name is available to it, in any application.
      for (id, app): (JobID, String) in [("1", "live"), ("2", "live2")] {
        let job = ForwardParams(jobId: id, publishUrl: "rtmp://origin/\(app)/evil")
        _ = try await evil.call(.startForward(job), JobInfo.self)
      }
      #expect(try await jobs(server, "evil") == ["1", "2"])
      let next = ForwardParams(jobId: "next", publishUrl: "\(Self.external)?serialnum=2")
      _ = try await victim.call(.startForward(next), JobInfo.self)
    }
  }

  @Test("an API token publishes under any name, and a room may take over what it started for that room")
  func api() async throws {
    try await withVictim { server, victim, evil in
      func begin(_ room: RoomName, _ id: String, _ url: String) async throws -> Int {
        try await server.api(
          "POST", "/v1/rooms/\(room)/jobs", json: #"{"jobId":"\#(id)","userId":"nobody","publishUrl":"\#(url)"}"#
        ).status
      }
      #expect(try await begin("evil", "a", "rtmp://origin/live/studio?serialnum=1") == 201)
      let two = "rtmp://origin/live/studio?serialnum=2"
      #expect(try await refusals(victim, two) == [.noPermission, .noPermission])
      _ = try await evil.call(.startForward(ForwardParams(jobId: "b", publishUrl: two)), JobInfo.self)
      // The stream with the room's name stays the room's, even after another job took it over.
      #expect(try await begin("evil", "c", "rtmp://origin/live/victim?serialnum=2") == 201)
      let three = ForwardParams(jobId: "back", publishUrl: "rtmp://origin/live/victim?serialnum=3")
      _ = try await victim.call(.startForward(three), JobInfo.self)
    }
  }

  @Test("an encoder's room token can't publish under the name of a variant")
  func variants() async throws {
    try await TestServer.with { server in
      let token = try server.token("encoder", room: "victim_640_360_15")
      let refusal = try await RTMPPeer.refusal(.publish, server, "victim_640_360_15?token=\(token)")
      #expect(refusal.description.contains("variant"), "\(refusal)")
    }
  }

  @Test("jobs that start on one URL at the same time are one broadcast")
  func concurrent() async throws {
    let directory = BroadcastDirectory(RelaySettings(), log: TestServer.quiet)
    let broadcasts = await withTaskGroup(of: ObjectIdentifier?.self) { group in
      for number in 1...64 {
        group.addTask {
          guard let url = PublishURL("rtmp://192.0.2.1/live/one?serialnum=\(number)") else { return nil }
          return try? ObjectIdentifier(directory.register(url, claim: .trusted("room")) { _ in }.broadcast)
        }
      }
      return await group.reduce(into: [ObjectIdentifier]()) { all, one in if let one { all.append(one) } }
    }
    // A job that follows one with a larger number is rejected.
    #expect(!broadcasts.isEmpty && Set(broadcasts).count == 1)
    #expect(await directory.totals().live.values.reduce(0, +) == 1)
    await directory.stop()
  }
}
