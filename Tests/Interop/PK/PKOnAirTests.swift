import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Synchronization
import Testing

/// Tests `pkOnAir` with real media.
extension RealMedia {
  @Suite("A PK on air")
  struct PKOnAirTests {
    private struct Events: Decodable {
      struct Event: Decodable {
        struct Data: Decodable {
          var pkId: PKID?
          var jobId: JobID?
        }
        var event: String
        var data: Data
      }
      var events: [Event]
    }

    /// Returns the `pkOnAir` events of a room that webhooks receive.
    private func reported(_ server: TestServer, _ room: String) async throws -> [PKOnAirData] {
      let body = try await server.api("GET", "/v1/events?room=\(room)&limit=1000").body
      return try JSONDecoder().decode(Events.self, from: body).events.filter { $0.event == "pkOnAir" }.compactMap {
        guard let pkId = $0.data.pkId, let jobId = $0.data.jobId else { return nil }
        return PKOnAirData(pkId: pkId, jobId: jobId)
      }
    }

    @Test(
      "both rooms receive one event for each job whose viewers see the split screen, and again in the next PK",
      .timeLimit(.minutes(3)))
    func bridge() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let sources = try Anchors.names.map { try Anchors.source($0) }
        let red = try await Anchors.live(server, "red", sources[0])
        let blue = try await Anchors.live(server, "blue", sources[1])
        // An audio-only job, and one that does not belong to the anchor.
        try await red.jobs.start(ForwardParams(jobId: "sound", publishUrl: try server.rtmp("sound/red"), kinds: [.audio]))
        let listener = try await Room.connect(
          to: server.url, token: try await server.token(user: "listener", room: "red", grants: [.subscribe]))
        let logs = [PKLog(red), PKLog(blue), PKLog(listener)]
        try await eventually("all jobs are on air") {
          red.jobs.all.filter { $0.onAir == true }.count == 2 && blue.jobs.all.first?.onAir == true
        }
        var expected: [[String]] = [[], [], []]
        for round in 1...2 {
          try await Anchors.meet(red, blue)
          let pk = try #require(red.pk.current?.pkId)
          try await eventually("the PK is on air in every job") {
            logs.map(\.onAir.count) == [2 * round, round, 2 * round]
          }
          expected[0] += ["\(pk) live", "\(pk) sound"]
          expected[1] += ["\(pk) live"]
          expected[2] = expected[0]
          // Muting audio does not change the picture.
          try await red.pk.mutePeer(true)
          try await red.pk.mutePeer(false)
          try await blue.pk.quit()
          try await eventually("the PK is over") { red.pk.current == nil && blue.pk.current == nil }
        }
        for (log, all) in zip(logs, expected) {
          #expect(log.onAir.map { "\($0.pkId) \($0.jobId)" }.sorted() == all.sorted())
          #expect(log.isAfterBegin, "pkBegan must come first")
        }
        #expect(try await Set(reported(server, "red")) == Set(logs[0].onAir))
        #expect(try await reported(server, "blue") == logs[1].onAir)
        for room in [red, blue, listener] { await room.leave() }
      }
    }
  }
}

/// The PK events that a client receives.
private final class PKLog: Sendable {
  private struct Seen: Sendable {
    var began: PKID?
    var onAir: [PKOnAirData] = []
    var isAfterBegin = true
  }

  private final class Book: Sendable {
    let seen = Mutex(Seen())

    func take(_ event: RoomEvent) {
      seen.withLock { seen in
        switch event {
        case .pkBegan(let info): seen.began = info.pkId
        case .pkOnAir(let data):
          seen.onAir.append(data)
          seen.isAfterBegin = seen.isAfterBegin && seen.began == data.pkId
        default: break
        }
      }
    }
  }

  private let book = Book()
  private let reading: Task<Void, Never>

  init(_ room: Room) {
    let events = room.events()
    reading = Task { [book] in
      for await event in events { book.take(event) }
    }
  }

  deinit { reading.cancel() }

  var onAir: [PKOnAirData] { book.seen.withLock { $0.onAir } }
  /// Whether `pkBegan` preceded each of them.
  var isAfterBegin: Bool { book.seen.withLock { $0.isAfterBegin } }
}
