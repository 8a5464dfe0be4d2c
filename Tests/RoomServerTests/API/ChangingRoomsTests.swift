import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("REST: changing a room's settings")
struct ChangingRoomsTests {
  struct Settings: Decodable, Equatable {
    var emptyTimeout: Int
    var maxParticipants: Int
    var graceTime: Int
    var requestTimeout: Int
    var push: PushPolicy
    var audience: RoomAudience
    var stage: StagePicture
    var pk: PKPicture?
    var seatsHost: Bool
    var pkApart: [RoomName]?
  }

  private struct Detail: Decodable { var settings: Settings }

  private static let host: Grants = [.publish, .subscribe, .admin]

  /// Returns the picture of a PK in front of an image.
  private static func picture(image: String) throws -> String {
    var picture = PKPicture()
    picture.background = MergeBackground(image: image)
    return String(decoding: try JSONEncoder().encode(picture), as: UTF8.self)
  }

  private func create(_ server: TestServer, _ json: String = #"{"name":"room"}"#) async throws {
    let response = try await server.api("POST", "/v1/rooms", json: json)
    #expect(response.status == 201, "\(String(describing: response.error))")
  }

  private func settings(_ server: TestServer) async throws -> Settings {
    try await server.api("GET", "/v1/rooms/room").decoded(Detail.self).settings
  }

  @discardableResult
  private func change(_ server: TestServer, _ json: String, room: String = "room") async throws -> Settings {
    let response = try await server.api("PATCH", "/v1/rooms/\(room)", json: json)
    #expect(response.status == 200, "\(String(describing: response.error))")
    return try response.decoded(Detail.self).settings
  }

  private func joins(_ client: SignalClient, _ user: UserID) async throws -> ParticipantInfo {
    try await client.event("\(user) joins") { event in
      if case .joined(let participant) = event, participant.userId == user { participant } else { nil }
    }
  }

  @Test("absent settings stay, null selects the server's default, and the answer has the effective settings")
  func members() async throws {
    try await TestServer.with { server in
      try await create(server)
      let usual = try await settings(server)
      #expect(usual.emptyTimeout == 300 && usual.graceTime == 20 && usual.requestTimeout == 30)
      #expect(usual.audience == .mixed && usual.seatsHost && usual.push.mode == .own && usual.pk == nil)

      var wanted = usual
      (wanted.emptyTimeout, wanted.maxParticipants, wanted.graceTime, wanted.requestTimeout) = (60, 7, 5, 10)
      (wanted.audience, wanted.seatsHost, wanted.pkApart) = (.voice, false, ["rival"])
      wanted.stage = StagePicture(width: 320, height: 240, fps: 10, videoKbps: 300, preset: .fast)
      wanted.pk = PKPicture(background: MergeBackground(colour: "#204060"))
      wanted.push = PushPolicy(.manual, publishUrl: "rtmp://origin/live/{room}")
      let pk = String(decoding: try JSONEncoder().encode(wanted.pk), as: UTF8.self)
      let stage = String(decoding: try JSONEncoder().encode(wanted.stage), as: UTF8.self)
      let json = """
        {"emptyTimeout":60,"maxParticipants":7,"graceTime":5,"requestTimeout":10,"audience":"voice","seatsHost":false,
        "pkApart":["rival"],"stage":\(stage),"pk":\(pk),"push":{"mode":"manual","publishUrl":"rtmp://origin/live/{room}?key=secret"}}
        """
      #expect(try await change(server, json) == wanted, "the key of the URL is not told")
      #expect(try await settings(server) == wanted)
      #expect(try await change(server, "{}") == wanted)

      (wanted.emptyTimeout, wanted.audience, wanted.push) = (usual.emptyTimeout, usual.audience, usual.push)
      #expect(try await change(server, #"{"emptyTimeout":null,"audience":null,"push":null}"#) == wanted)
      let all = ["maxParticipants", "graceTime", "requestTimeout", "seatsHost", "stage", "pk", "pkApart"]
      let defaults = "{\(all.map { "\"\($0)\":null" }.joined(separator: ","))}"
      #expect(try await change(server, defaults) == usual)
    }
  }

  @Test("a setting that is out of range is rejected with its name, and no other setting changes")
  func refused() async throws {
    try await TestServer.with { server in
      try await create(server)
      let before = try await settings(server)
      for (json, field) in [
        (#"{"emptyTimeout":60,"maxParticipants":0}"#, "maxParticipants"), (#"{"emptyTimeout":9}"#, "emptyTimeout"),
        (#"{"graceTime":0}"#, "graceTime"), (#"{"requestTimeout":4}"#, "requestTimeout"),
        (#"{"emptyTimeout":60,"push":{"mode":"auto"}}"#, "push.publishUrl"),
        (#"{"stage":{"width":17,"height":16,"fps":5,"videoKbps":100,"preset":"fast"}}"#, "stage.width"),
        (#"{"pk":\#(try Self.picture(image: "a/b"))}"#, "pk.background.image"), (#"{"audience":"loud"}"#, "audience"),
        (#"{"emptyTimeout":60,"seatsHost":1}"#, "seatsHost"), (#"{"pkApart":[""]}"#, "pkApart"),
      ] {
        let response = try await server.api("PATCH", "/v1/rooms/room", json: json)
        #expect(response.status == 400 && response.error?.code == .unknownMessage, "\(json)")
        #expect(response.error?.message.contains(field) == true, "\(json): \(String(describing: response.error))")
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"x",\#(json.dropFirst())"#).status == 400, "\(json)")
      }
      #expect(try await settings(server) == before)
      #expect(try await server.api("PATCH", "/v1/rooms/none", json: "{}").error?.code == .roomNotFound)
      #expect(try await server.request("PATCH", "/v1/rooms/room", token: nil, json: "{}").status == 401)
    }
  }

  @Test("the server's setting is the default and maximum number of participants", arguments: [7, 5000])
  func places(most: Int) async throws {
    try await TestServer.with {
      $0.limits.participantsPerRoom = most
    } _: { server in
      try await create(server, #"{"name":"room","maxParticipants":\#(most)}"#)
      #expect(try await settings(server).maxParticipants == most)
      try await change(server, #"{"maxParticipants":2}"#)
      for (method, path, json) in [
        ("POST", "/v1/rooms", #"{"name":"x","maxParticipants":\#(most + 1)}"#),
        ("PATCH", "/v1/rooms/room", #"{"maxParticipants":\#(most + 1)}"#),
      ] {
        let response = try await server.api(method, path, json: json)
        #expect(response.status == 400 && response.error?.message.contains("1 to \(most)") == true, "\(method)")
      }
      #expect(try await settings(server).maxParticipants == 2)
      #expect(try await change(server, #"{"maxParticipants":null}"#).maxParticipants == most)
    }
  }

  @Test("another audience applies at once: the room's mix ends, or starts with its present sources")
  func audience() async throws {
    try await TestServer.with { server in
      try await create(server)
      let host = try await server.join("host", grants: Self.host, autoSubscribe: false)
      let guest = try await server.join("guest", autoSubscribe: false)
      _ = try await guest.call(.seats(.take(SeatParams())), SeatResult.self)
      let viewer = try await server.join("viewer", grants: [.subscribe], autoSubscribe: false)
      func kinds() async throws -> Set<TrackKind>? {
        struct List: Decodable { var participants: [ParticipantInfo] }
        let list = try await server.api("GET", "/v1/rooms/room/participants").decoded(List.self).participants
        return list.first { $0.userId == "@mix" }.map { Set($0.tracks.map(\.kind)) }
      }
      _ = try await joins(host, "@mix")
      #expect(try await kinds() == [.audio, .video])

      try await change(server, #"{"audience":"separate"}"#)
      let left = try await viewer.event("the mix leaves") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left.userId == "@mix")
      #expect(try await kinds() == nil)

      try await change(server, #"{"audience":"voice"}"#)
      _ = try await joins(viewer, "@mix")
      #expect(try await kinds() == [.audio])

      try await change(server, #"{"audience":"mixed"}"#)
      #expect(try await kinds() == [.audio, .video])
      try await change(server, #"{"stage":{"width":320,"height":240,"fps":5,"videoKbps":200,"preset":"ultrafast"}}"#)
      struct List: Decodable { var participants: [ParticipantInfo] }
      let list = try await server.api("GET", "/v1/rooms/room/participants").decoded(List.self).participants
      let picture = list.first { $0.userId == "@mix" }?.tracks.first { $0.kind == .video }
      #expect(picture?.width == 320 && picture?.height == 240)
      #expect(try await server.metric("roomserver_mixes") == 1, "the mixes of before are gone")
    }
  }

  @Test("a lower capacity rejects later joins, and present participants stay")
  func places() async throws {
    try await TestServer.with { server in
      try await create(server)
      let alice = try await server.join("alice")
      _ = try await server.join("bob")
      try await change(server, #"{"maxParticipants":1}"#)
      let refused = try await server.connect().error(of: .join(JoinParams(token: try server.token("carol"))))
      #expect(refused?.code == .joinFailed && refused?.message.contains("full") == true)
      #expect(try await alice.error(of: .ping) == nil)
      try await change(server, #"{"maxParticipants":3}"#)
      _ = try await server.join("carol")
    }
  }

  @Test("a room's own URL applies to jobs that start later, and never to the room's own mix")
  func push() async throws {
    try await TestServer.with { server in
      try await create(server)
      let host = try await server.join("host", grants: Self.host, autoSubscribe: false)
      try await host.publish(.opus)
      let job = #"{"jobId":"first","userId":"host"}"#
      #expect(try await server.api("POST", "/v1/rooms/room/jobs", json: job).status == 409, "no URL")
      try await change(server, #"{"push":{"mode":"manual","publishUrl":"rtmp://origin/live/{room}"}}"#)
      #expect(try await server.api("POST", "/v1/rooms/room/jobs", json: job).decoded(JobInfo.self).stream == "live/room")
      try await change(server, #"{"push":{"mode":"auto","publishUrl":"rtmp://origin/live/{room}-{user}"}}"#)
      /// Returns the jobs, each with the URLs for watching it.
      func jobs() async throws -> [String] {
        let state = try await server.api("GET", "/v1/rooms/room/state").decoded(RoomSnapshot.self)
        return state.jobs.map { "\($0.jobId) \($0.stream ?? "nowhere")" }.sorted()
      }
      #expect(try await jobs() == ["auto:host live/room-host", "first live/room"])
      // Its audience receives the mix regardless.
      let guest = try await server.join("guest", autoSubscribe: false)
      _ = try await guest.call(.seats(.take(SeatParams())), SeatResult.self)
      _ = try await server.join("viewer", grants: [.subscribe], autoSubscribe: false)
      _ = try await joins(host, "@mix")
      #expect(try await jobs().contains("@mix nowhere"))
    }
  }

  @Test("the picture of a PK changes during the PK")
  func pk() async throws {
    try await TestServer.with { server in
      for room in ["a", "b"] { try await create(server, #"{"name":"\#(room)","audience":"separate"}"#) }
      let ann = try await server.join("ann", room: "a", grants: Self.host, autoSubscribe: false)
      let bob = try await server.join("bob", room: "b", grants: Self.host, autoSubscribe: false)
      let invited = try await ann.call(.pk(.invite(PKInviteParams(room: "b"))), PKInviteResult.self)
      try await eventually("bob can accept") {
        try await bob.error(of: .pk(.accept(PKParams(pkId: invited.pkId)))) == nil
      }
      _ = try await ann.event("the PK begins") {
        if case .changed(let change) = $0, case .pkBegan = change.change { true } else { nil }
      }
      var picture = PKPicture()
      picture.background = MergeBackground(colour: "#102030")
      let json = #"{"emptyTimeout":60,"pk":\#(String(decoding: try JSONEncoder().encode(picture), as: UTF8.self))}"#
      #expect(try await change(server, json, room: "a").pk == picture)
      #expect(try await server.api("POST", "/v1/rooms/a/calls/quitPK", json: "{}").status == 200)
    }
  }

  @Test("times apply to what starts after the change")
  func times() async throws {
    try await TestServer.with { server in
      try await create(server, #"{"name":"room","graceTime":3600,"requestTimeout":600}"#)
      let host = try await server.join("host", grants: Self.host, autoSubscribe: false)
      let guest = try await server.join("guest", autoSubscribe: false)
      func requestTime() async throws -> Int64? {
        _ = try await guest.call(.seats(.request(SeatParams())))
        let list = try await host.call(.seats(.listRequests), SeatRequestList.self)
        _ = try await guest.call(.seats(.cancelRequest))
        return list.requests.first.map { $0.expiresAt - $0.at }
      }
      #expect(try await requestTime() == 600_000)
      try await change(server, #"{"graceTime":1,"requestTimeout":5}"#)
      #expect(try await requestTime() == 5_000)
      guest.kill()
      let left = try await host.event("the guest leaves") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left.userId == "guest" && left.reason == .timedOut)
    }
  }

  @Test("whether a host is seated changes with the next join")
  func hostSeat() async throws {
    try await TestServer.with { server in
      try await create(server, #"{"name":"room","seatsHost":false}"#)
      let first = try await server.join("first", grants: Self.host, autoSubscribe: false)
      func host() async throws -> UserID? {
        try await server.api("GET", "/v1/rooms/room/state").decoded(RoomSnapshot.self).seats.first?.userId
      }
      #expect(try await host() == nil)
      try await change(server, #"{"seatsHost":true}"#)
      #expect(try await host() == nil)
      _ = try await server.join("second", grants: Self.host, autoSubscribe: false)
      #expect(try await host() == "second")
      #expect(try await first.error(of: .ping) == nil)
    }
  }

  @Test("an empty room waits for the new time, starting at the change")
  func emptyTime() async throws {
    let bare = try BareRoom(emptyTime: .seconds(3600))
    defer { bare.plane.stop() }
    try await bare.room.change { options in
      options.emptyTime = .milliseconds(30)
    } settle: { options in
      var settings = RoomCore.Settings(
        graceTime: .seconds(60), emptyTime: options.emptyTime ?? .seconds(3600), participants: 10, limits: RoomBounds(),
        pingInterval: .seconds(5))
      settings.options = options
      return settings
    }
    try await eventually("the room closes") { await bare.room.read(\.isClosed) }
    await #expect(throws: RoomError.self) {
      try await bare.room.change { _ in
      } settle: { _ in
        fatalError("it is closed")
      }
    }
  }
}
