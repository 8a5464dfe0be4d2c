import Foundation
import RoomClient
import RoomLinkModel
import RoomPeers
import RoomProtocol
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomLoadtest

extension RealMedia {
  /// A PK of four rooms at three nodes: one joins late, one leaves, one anchor's uplink loses packets, and the node of the room that
  /// leads is killed.
  @Suite("A PK of four rooms whose leading node is killed", .enabled(if: RedisServer.isInstalled))
  struct KilledBattleTests {
    private static let rooms: [(name: RoomName, node: Int)] = [("red", 0), ("blue", 1), ("green", 2), ("gold", 1)]
    /// The time in which the killed node's room is back.
    private static let limit = Duration.seconds(5)
    /// The longest gap that an audience of another room sees, in ms.
    private static let longestGap: Int64 = 300
    /// Number of battles: `ROOMSERVER_ROUNDS`, 1 by default and 50 at full length.
    private static let rounds =
      ProcessInfo.processInfo.environment["ROOMSERVER_ROUNDS"].flatMap { Int($0) } ?? TestLength.pick(1, long: 50)
    /// Where the streams of each round are kept: `ROOMSERVER_RECORDINGS`; by default, nowhere.
    private static let kept = ProcessInfo.processInfo.environment["ROOMSERVER_RECORDINGS"].map { URL(filePath: $0) }

    /// What the audiences saw in one round.
    private struct Seen {
      /// The time until the killed room is on air again, and until the other anchors see its pictures.
      var back: Duration
      var decoded: Duration
      var streams: [RoomName: PublishedStream]
    }

    @Test(
      "the audiences of the other rooms see no gap; the room of the killed node is back in the PK within 5 s",
      .timeLimit(.minutes(TestLength.pick(4, long: 120))))
    func killed() async throws {
      let streams = Self.kept ?? FileManager.default.temporaryDirectory.appending(path: "battle-\(UUID().uuidString)")
      defer { if Self.kept == nil { try? FileManager.default.removeItem(at: streams) } }
      var rounds: [Seen] = []
      for round in 0..<Self.rounds {
        let folder = streams.appending(path: String(format: "%03d", round))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A round that fails does not hide the others' figures.
        do { rounds.append(try await battle(round, recordingTo: folder)) } catch { Issue.record(error, "round \(round)") }
      }
      print("\(rounds.count) of \(Self.rounds) rounds, least, median and most in ms:")
      print("| red on air again | \(Self.spread(rounds.map(\.back.milliseconds))) |")
      print("| seen by the other anchors | \(Self.spread(rounds.map(\.decoded.milliseconds))) |")
      for (room, _) in Self.rooms {
        let streams = rounds.compactMap { $0.streams[room] }
        print("| longest step of \(room) | \(Self.spread(streams.map(\.longestStep))) |")
        print("| longest wait for \(room) | \(Self.spread(streams.map(\.longestWait.milliseconds))) |")
      }
    }

    private static func spread(_ values: [Int64]) -> String {
      let sorted = values.sorted()
      guard let least = sorted.first, let most = sorted.last else { return "–" }
      return "\(least) | \(sorted[sorted.count / 2]) | \(most)"
    }

    private func battle(_ round: Int, recordingTo folder: URL) async throws -> Seen {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(
        3, on: "redis://127.0.0.1:\(redis.port)", ["--relay-target", "127.0.0.1"], regions: true)
      let servers = cluster.servers
      let sink = try await LiveSink(recordingTo: folder)
      let uplink = BadNetwork(LinkConditions(), seed: UInt64(round))
      var anchors: [Participant] = []
      for (name, node) in Self.rooms {
        try await make(name, at: servers[node])
        #expect(try await cluster.owner(of: name) === servers[node])
        // Who knows only the address of a dead node can't return.
        let anchor = try await Participant.join(
          servers[2], room: name, as: "host-\(name)", grants: [.publish, .subscribe, .admin],
          through: name == "blue" ? uplink : nil)
        try await anchor.publish(video: name == "red" ? .h264 : .vp8, tone: 440)
        anchors.append(anchor)
        let job = #"{"jobId":"live","userId":"host-\#(name)","publishUrl":"\#(sink.url(name.rawValue))"}"#
        #expect(try await servers[node].api("POST", "/v1/rooms/\(name)/jobs", json: job).status == 201)
      }
      let (red, blue, green, gold) = (anchors[0], anchors[1], anchors[2], anchors[3])
      try await eventually("all are on air") { Self.rooms.allSatisfy { sink.stream($0.name.rawValue).messages > 50 } }

      var params = PKInviteParams(room: "blue")
      params.others = [PKInvitee(room: "green")]
      let pk = try await red.room.pk.invite(params).pkId
      for anchor in [blue, green] { try await accept(anchor) }
      try await eventually("three rooms are in the PK") { Self.members([red, blue, green], are: 3) }
      params = PKInviteParams(room: "gold")
      params.pkId = pk
      _ = try await green.room.pk.invite(params)
      try await accept(gold)
      try await eventually("four rooms are in the PK") { Self.members(anchors, are: 4) }
      try await eventually("each anchor sees all others") { Self.seeEachOther(anchors) }
      try await gold.room.pk.quit()
      try await eventually("three rooms remain") { Self.members([red, blue, green], are: 3) && gold.room.pk.current == nil }
      uplink.lose(0.05)
      let before = sink.stream("red")
      try await eventually("blue's uplink is repaired") { blue.room.state == .connected && Self.seeEachOther([blue, green]) }

      servers[0].kill()
      let begin = ContinuousClock.now
      _ = try await eventually("another node owns the room", within: Self.limit) { try await cluster.owner(of: "red") }
      let now = {
        [red, blue, green].map { anchor in
          let members = anchor.room.pk.current?.members?.map { "\($0.room) \($0.connected)" } ?? []
          let decoded = anchor.pictures(of: "host-red@red").decoded
          return "\(anchor.user) \(anchor.room.state): \(members), \(decoded) pictures of red"
        }
      }
      try await eventually("the anchor and the job are back: \(now()), job \(sink.stream("red")), before \(before)") {
        red.room.state == .connected && red.room.pk.current?.pkId == pk && sink.stream("red").connections > before.connections
          && sink.stream("red").messages > before.messages + 20
      }
      let back = ContinuousClock.now - begin
      let others = [blue, green]
      let pictures = others.map { $0.pictures(of: "host-red@red").decoded }
      try await eventually("the others see the anchor again, and all know of three rooms: \(now()), before \(pictures)") {
        Self.members([red, blue, green], are: 3)
          && zip(others, pictures).allSatisfy { $0.pictures(of: "host-red@red").decoded > $1 + 5 }
      }
      let seen = ContinuousClock.now - begin
      for anchor in others { try await anchor.room.pk.quit() }
      try await eventually("the PK is over") { anchors.allSatisfy { $0.room.pk.current == nil } }
      await sink.stop()
      let streams = Self.rooms.map { ($0.name, sink.stream($0.name.rawValue)) }
      print(
        "round \(round): red on air after \(back), seen by the others after \(seen); longest steps, and waits,",
        streams.map { "\($0) \($1.longestStep) and \($1.longestWait.milliseconds) ms" }.joined(separator: ", "))
      #expect(back < Self.limit + .seconds(1))
      for (name, stream) in streams {
        #expect(stream.backward == 0)
        try await decodes(folder.appending(path: "\(name).flv"), all: stream.messages)
        guard name != "red" else { continue }
        #expect(stream.connections == 1 && stream.longestStep <= Self.longestGap, "\(name): \(stream.longestStep) ms")
      }
      for anchor in anchors { await anchor.leave() }
      return Seen(back: back, decoded: seen, streams: Dictionary(uniqueKeysWithValues: streams))
    }

    /// Decodes a stream with ffmpeg, which prints a line for each picture and each piece of sound, and what it can't decode.
    private func decodes(_ file: URL, all messages: Int) async throws {
      let ffmpeg = try Program(
        "ffmpeg",
        ["-nostdin", "-v", "error", "-xerror", "-i", file.path, "-map", "0:v", "-map", "0:a", "-fps_mode", "passthrough"]
          + ["-enc_time_base:v", "1:1000", "-f", "framecrc", "-"])
      #expect(try await ffmpeg.finish() == 0)
      let lines = ffmpeg.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      let errors = lines.filter { !$0.hasPrefix("0,") && !$0.hasPrefix("1,") }
      #expect(errors == [] && lines.count == messages, "\(file.path)")
    }

    /// Makes a room whose stage is a small picture.
    private func make(_ name: RoomName, at server: ServerProcess) async throws {
      let stage = StagePicture(width: 180, height: 320, fps: 10, videoKbps: 200, preset: .ultrafast)
      let picture = String(decoding: try JSONEncoder().encode(stage), as: UTF8.self)
      let room = #"{"name":"\#(name)","audience":"separate","stage":\#(picture)}"#
      #expect(try await server.api("POST", "/v1/rooms", json: room).status == 201)
    }

    private func accept(_ anchor: Participant) async throws {
      let invitation = try await eventually("\(anchor.user) is invited") { anchor.room.pk.invitations.first }
      try await anchor.room.pk.accept(invitation.pkId)
    }

    private static func members(_ anchors: [Participant], are count: Int) -> Bool {
      anchors.allSatisfy { $0.room.pk.current?.members?.filter(\.connected).count == count }
    }

    private static func seeEachOther(_ anchors: [Participant]) -> Bool {
      anchors.allSatisfy { anchor in
        anchors.allSatisfy { other in
          let room = other.user.rawValue.replacing("host-", with: "")
          return other === anchor || anchor.pictures(of: "\(other.user)@\(room)").decoded > 5
        }
      }
    }
  }
}
