import Foundation
import RoomRelay
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

@Suite("Rejected merge jobs")
struct MergeRefusalTests {
  private static let first = MergeParams(
    jobId: "first", publishAs: "mix", width: 160, height: 90, fps: 5, preset: .ultrafast,
    layouts: [TrackLayout(userId: "alice", x: 0, y: 0, width: 160, height: 90)])

  /// Runs `body` with a room in which alice publishes and a mix of her is published.
  private func withRoom(_ body: (TestServer, SignalClient, _ audio: TrackID, _ video: TrackID) async throws -> Void)
    async throws
  {
    try await TestServer.with { server in
      let alice = try await server.join("alice", grants: [.publish, .subscribe, .relay], autoSubscribe: false)
      let tracks = try await alice.publish(.opus, .vp8)
      let job = try await alice.call(.startMerge(Self.first), JobInfo.self)
      #expect(job.publishAs == "mix" && job.kind == .merge)
      try await body(server, alice, tracks[0].trackId, tracks[1].trackId)
    }
  }

  private struct Jobs: Decodable {
    struct Detail: Decodable { var job: JobInfo }
    var jobs: [Detail]
  }

  /// Returns the constant properties of the room's jobs.
  private func jobs(_ server: TestServer) async throws -> [String] {
    try await server.api("GET", "/v1/rooms/room/jobs").decoded(Jobs.self).jobs.map {
      "\($0.job.jobId) \($0.job.kind) \($0.job.startedAt ?? 0) \($0.job.missing ?? [])"
    }
  }

  private func check(_ response: TestResponse, _ refusal: MergeRefusal, _ comment: Comment) throws {
    let error = try #require(response.error, comment)
    #expect(error.code == refusal.code && error.message.contains(refusal.field), "\(comment): \(error)")
    let statuses: [ErrorCode: Int] = [.unknownMessage: 400, .cdnParameters: 400, .subscribeFailed: 404, .publishFailed: 409]
    #expect(response.status == statuses[refusal.code], comment)
  }

  @Test("REST names the invalid field, and no job starts")
  func overREST() async throws {
    try await withRoom { server, _, audio, video in
      let before = try await jobs(server)
      #expect(before.count == 1)
      for refusal in MergeRefusal.layouts + MergeRefusal.others + MergeRefusal.misspelt {
        let response = try await server.api(
          "POST", "/v1/rooms/room/merge-jobs", json: refusal.body(audio: audio, video: video))
        try check(response, refusal, "\(refusal)")
      }
      #expect(try await jobs(server) == before)
      #expect(try await server.metric("roomserver_mixes") == 1)
      #expect(try await server.metric("roomserver_participants") == 2)
      #expect(try await server.metric(#"roomserver_broadcasts{state="connected"}"#) == 0)
    }
  }

  @Test("invalid layouts are rejected over REST like an invalid job")
  func layoutsOverREST() async throws {
    try await withRoom { server, alice, audio, video in
      _ = try await alice.call(
        .startForward(ForwardParams(jobId: "plain", publishUrl: "rtmp://origin/live/room")), JobInfo.self)
      let before = try await jobs(server)
      for refusal in MergeRefusal.layouts {
        guard let layouts = refusal.layouts(audio: audio, video: video) else { continue }
        let response = try await server.api(
          "PUT", "/v1/rooms/room/jobs/first/layouts", json: #"{"layouts":\#(layouts)}"#)
        try check(response, refusal, "\(refusal)")
      }
      let good = #"{"layouts":[{"userId":"alice","x":0,"y":0,"width":80,"height":90}]}"#
      let forward = try await server.api("PUT", "/v1/rooms/room/jobs/plain/layouts", json: good)
      #expect(forward.status == 400 && forward.error?.code == .cdnParameters)
      #expect(forward.error?.message.contains("\"plain\" is not a merge job") == true)
      let unknown = try await server.api("PUT", "/v1/rooms/room/jobs/nobody/layouts", json: good)
      #expect(unknown.status == 404 && unknown.error?.code == .cdnParameters)
      #expect(unknown.error?.message.contains("no job \"nobody\"") == true)
      let noRoom = try await server.api("PUT", "/v1/rooms/nowhere/jobs/first/layouts", json: good)
      #expect(noRoom.status == 404 && noRoom.error?.code == .roomNotFound)
      #expect(try await jobs(server) == before)
      #expect(try await server.api("PUT", "/v1/rooms/room/jobs/first/layouts", json: good).status == 204)
    }
  }

  @Test("without the grant no mix can be started or changed; with it errors are the same as over REST")
  func overSignalling() async throws {
    try await withRoom { server, alice, _, _ in
      let before = try await jobs(server)
      let guest = try await server.join("guest")
      var params = Self.first
      params.jobId = "new"
      params.publishAs = "other"
      #expect(try await guest.error(of: .startMerge(params))?.code == .noPermission)
      #expect(
        try await guest.error(of: .setLayouts(LayoutsParams(jobId: "first", layouts: Self.first.layouts)))?.code
          == .noPermission)
      params.layouts[0].width = -1
      let error = try #require(try await alice.error(of: .startMerge(params)))
      #expect(error.code == .cdnParameters && error.message.contains("layouts[0].width"))
      let arranged = try #require(
        try await alice.error(of: .setLayouts(LayoutsParams(jobId: "first", layouts: params.layouts))))
      #expect(arranged.code == .cdnParameters && arranged.message.contains("layouts[0].width"))
      let nobody = try #require(try await alice.error(of: .setLayouts(LayoutsParams(jobId: "x", layouts: []))))
      #expect(nobody.code == .cdnParameters && nobody.message.contains("no job \"x\""))
      alice.send(
        #"{"id":1000,"method":"setLayouts","params":{"jobId":"first","layouts":[{"userId":"alice","gain":1e999}]}}"#)
      let unreadable = try await alice.nextError()
      #expect(unreadable.code == .unknownMessage && unreadable.message.contains("params.layouts[0].gain"))
      #expect(try await jobs(server) == before)
    }
  }

  @Test("a room rejects each of them with the same message, and the running mix keeps its layouts")
  func inTheRoom() async throws {
    let bare = try BareRoom()
    let (outlet, session) = await bare.join("alice")
    try await bare.publish("alice", session: session, outlet: outlet, .opus, .vp8)
    let tracks = await bare.room.read(\.participants).flatMap(\.tracks)
    let (audio, video) = (try #require(tracks.first).trackId, try #require(tracks.last).trackId)
    _ = try await bare.room.call(.startMerge(Self.first))
    for refusal in MergeRefusal.layouts + MergeRefusal.others {
      let error: RoomError
      switch Self.read(refusal.body(audio: audio, video: video)) {
      case .failure(let unreadable): error = unreadable
      case .success(let params):
        error = try await #require(throws: RoomError.self, "\(refusal)") { _ = try await bare.room.call(.startMerge(params)) }
        if refusal.layouts(audio: audio, video: video) != nil {
          let other = await #expect(throws: RoomError.self, "\(refusal)") {
            try await bare.room.call(.setLayouts(LayoutsParams(jobId: "first", layouts: params.layouts)))
          }
          #expect(other == error, "\(refusal)")
        }
      }
      #expect(error.code == refusal.code && error.message.contains(refusal.field), "\(refusal): \(error)")
    }
    #expect(await bare.room.read(\.jobList).map(\.jobId) == ["first"])
    #expect(await bare.room.layouts(of: "first") == Self.first.layouts)
    #expect(await bare.room.mixCount == 1)
    await bare.room.close(EndedData(reason: .roomClosed))
    await bare.mixes.stop()
  }

  /// Reads parameters as signalling does.
  private static func read(_ body: String) -> Result<MergeParams, RoomError> {
    do throws(UnreadableRequest) {
      let request = try SignalRequest.decode(#"{"id":1,"method":"startMerge","params":\#(body)}"#.utf8)
      guard case .startMerge(let params) = request.call else {
        return .failure(RoomError(.unknownMessage, "it is no startMerge"))
      }
      return .success(params)
    } catch {
      return .failure(error.error)
    }
  }
}

extension Room {
  fileprivate var mixCount: Int { execution.core.mixes.count }

  /// Returns the layouts of a merge job.
  fileprivate func layouts(of job: JobID) -> [TrackLayout]? {
    guard case .merge(_, let params)? = execution.core.jobs[job]?.program else { return nil }
    return params.layouts
  }
}
