import Foundation
import RoomPeers
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

/// Tests a server that is killed in the middle of a PK and restarted.
extension RealMedia {
  @Suite("A killed server")
  struct KilledServerTests {
    private static let looks = [
      FlashAndBeep.Look(width: 320, height: 180, blue: 100, red: 200, tone: 1000),
      FlashAndBeep.Look(width: 192, height: 256, blue: 200, red: 100, tone: 600),
    ]
    private static let rooms = ["red", "blue"]

    private func state(_ server: ServerProcess, _ room: RoomName) async throws -> RoomSnapshot? {
      let answer = try await server.api("GET", "/v1/rooms/\(room)/state")
      return try? JSONDecoder().decode(RoomSnapshot.self, from: Data(answer.body.utf8))
    }

    private func broadcast(_ looks: [String], to sinks: [RTMPSink]) async throws {
      try await eventually("\(looks) are broadcast") {
        try zip(sinks, looks).allSatisfy { try $0.shows($1, for: 1) }
      }
    }

    @Test(
      "rooms, seats, attributes, PK and jobs are restored within 5 s, clients reconnect, and the broadcasts' timestamps continue",
      .timeLimit(.minutes(3)))
    func inPK() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let port = try TCPPort.free()
      let arguments = ["--data", data, "--relay-target", "127.0.0.1", "--workers", "2"]
      let first = try await ServerProcess(arguments, port: port)
      let sources = try zip([VideoCodec.h264, .vp8], Self.looks).map { try FlashAndBeep(codec: $0, look: $1) }
      let sinks = [try RTMPSink(), try RTMPSink()]
      var anchors: [Room] = []
      for (index, room) in Self.rooms.enumerated() {
        let made = try await first.api(
          "POST", "/v1/rooms",
          json: """
            {"name":"\(room)","audience":"separate","pk":{"width":360,"height":640,"fps":15,"videoKbps":600,
            "preset":"ultrafast","own":{"x":0,"y":160,"width":180,"height":320},
            "peer":{"x":180,"y":160,"width":180,"height":320}}}
            """)
        #expect(made.status == 201, "\(made.body)")
        let token = try first.token(user: UserID(room), room: RoomName(room), grants: [.publish, .subscribe, .admin, .relay])
        let anchor = try await Room.connect(to: first.url, token: token)
        try await anchor.publish(sources[index].tracks)
        try await anchor.jobs.start(ForwardParams(jobId: "live", publishUrl: "\(sinks[index].url)?serialnum=3"))
        try await anchor.attributes.set(["title": room])
        anchors.append(anchor)
      }
      let (red, blue) = (anchors[0], anchors[1])
      try await eventually("both are on air") {
        anchors.allSatisfy { $0.jobs.all.first?.onAir == true && $0.jobs.all.first?.state == .connected }
      }
      let invited = try await red.pk.invite(in: "blue")
      try await eventually("blue receives the invitation") { !blue.pk.invitations.isEmpty }
      try await blue.pk.accept(invited.pkId)
      try await eventually("the PK has started") { red.pk.current != nil && blue.pk.current != nil }
      try await red.pk.setScore(42)
      try await eventually("blue receives the score") { blue.pk.current?.peerScore == 42 }
      try await broadcast(["red|blue", "blue|red"], to: sinks)
      let before = try #require(try await state(first, "red"))

      let killed = ContinuousClock.now
      first.kill()
      var parts: [[Recording]] = []
      for sink in sinks { parts.append([try await sink.received()]) }
      #expect(try sinks.map { try Sides($0.file).runs } == [["red", "red|blue"], ["blue", "blue|red"]])
      let later = try sinks.map { try RTMPSink(port: $0.port) }
      let restart = ContinuousClock.now
      let second = try await ServerProcess(arguments, port: port)
      let after = try #require(try await state(second, "red"))
      #expect(ContinuousClock.now - restart < .seconds(5))
      #expect(after.seats.map(\.userId) == before.seats.map(\.userId) && after.seats[0].userId == "red")
      #expect(after.attributes == ["title": "red"])
      #expect(after.pk?.pkId == invited.pkId && after.pk?.score == 42)
      #expect(after.jobs.map(\.jobId) == ["live"] && after.jobs[0].startedAt == before.jobs[0].startedAt)

      try await eventually("both anchors are back, by themselves") {
        anchors.allSatisfy { anchor in
          guard anchor.state == .connected, let pk = anchor.pk.current else { return false }
          return pk.connected && pk.peerConnected && anchor.jobs.all.first?.onAir == true
        }
      }
      let away = ContinuousClock.now - killed
      try await broadcast(["red|blue", "blue|red"], to: later)
      try await blue.pk.quit()
      try await eventually("the PK is over") { red.pk.current == nil && blue.pk.current == nil }
      try await broadcast(Self.rooms, to: later)
      for (index, anchor) in anchors.enumerated() {
        try await anchor.jobs.stop("live")
        parts[index].append(try await later[index].received())
        #expect(try Sides(later[index].file).runs.suffix(2) == [index == 0 ? "red|blue" : "blue|red", Self.rooms[index]])
      }
      for parts in parts {
        for kind in ["video", "audio"] {
          let (old, new) = (parts[0].times(kind), parts[1].times(kind))
          let (last, next) = (try #require(old.last), try #require(new.first))
          // Later by the time that passed, within the tolerance of stopping and starting.
          #expect(next > last && next - last < Double(away.components.seconds) + 4, "\(kind): \(last), \(next), \(away)")
          #expect(parts[1].steps(kind).allSatisfy { $0 > 0 })
        }
      }
      print("a killed server: clients were back after \(away)")
      for anchor in anchors { await anchor.leave() }
    }
  }
}
