import Foundation
import Logging
import RoomLinux
import RoomPeers
import RoomRedis
import RoomTestSupport
import Testing
import roomserver

@testable import RoomServer

@Suite("The parts of a server")
struct AssemblyTests {
  @TaskLocal fileprivate static var trace = Guarded<[String]>([])

  /// A part that records what is done with it.
  fileprivate protocol Traced: ServerPart {
    init()
    static func need(_ assembly: Assembly) async throws(StartError)
  }

  private struct Ground: Traced {
    static func need(_ assembly: Assembly) async throws(StartError) {}
  }

  private struct Wall: Traced {
    static func need(_ assembly: Assembly) async throws(StartError) { _ = try await assembly.part(Ground.self) }
  }

  private struct Roof: Traced {
    static func need(_ assembly: Assembly) async throws(StartError) {
      _ = (try await assembly.part(Wall.self), try await assembly.part(Ground.self))
    }
  }

  private static var configuration: ServerConfiguration { ServerConfiguration(keys: [TestServer.key: TestServer.secret]) }

  private static func assembly(
    _ types: [any ServerPart.Type], broken: (any ServerPart.Type)? = nil
  ) throws -> Assembly { Assembly(try ServerGround(configuration, log: TestServer.quiet), types, broken: broken) }

  @Test("a part starts after what it needs wherever it stands in the list, and ends before")
  func order() async throws {
    for types: [any ServerPart.Type] in [[Roof.self, Wall.self, Ground.self], [Ground.self, Roof.self, Wall.self]] {
      try await Self.$trace.withValue(Guarded([])) {
        let assembly = try Self.assembly(types)
        #expect(try await assembly.parts { _ in true }.count == 3)
        await assembly.stop()
        await assembly.stop()
        #expect(
          Self.trace.withLock { $0 } == [
            "start Ground", "start Wall", "start Roof", "quiesce Roof", "quiesce Wall", "quiesce Ground", "stop Roof",
            "stop Wall", "stop Ground",
          ])
      }
    }
  }

  @Test("if a part does not start, those that started before are stopped, and no other")
  func broken() async throws {
    try await Self.$trace.withValue(Guarded([])) {
      let assembly = try Self.assembly([Roof.self, Wall.self, Ground.self], broken: Wall.self)
      await #expect(throws: StartError.self) { try await assembly.part(Roof.self) }
      await assembly.stop()
      #expect(
        Self.trace.withLock { $0 } == [
          "start Ground", "start Wall", "quiesce Wall", "stop Wall", "quiesce Ground", "stop Ground",
        ])
    }
  }

  /// Starts servers that lack one part after the other, and then a whole one, all on the same ports and in the same folders.
  private static func check(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) async throws {
    let folder = try UploadFolder()
    var configuration = configuration
    configuration.data = folder.path + "/data"
    configuration.origin.listens = true
    configuration.origin.srt.listens = true
    configuration.media.workers = 1
    configuration.players.limit = 0
    // Below the ports that the kernel chooses: no other test takes one of these meanwhile.
    configuration.port = .random(in: 20_000..<29_000)
    configuration.origin.port = configuration.port + 1000
    configuration.origin.srt.port = configuration.port + 2000
    adjust(&configuration)
    let types = RoomServer.ownParts + RoomServer.moreParts
    for broken in types where broken.isUsed(by: configuration) {
      let assembly = Assembly(try ServerGround(configuration, log: TestServer.quiet), types, broken: broken)
      // What an earlier server had kept would be another error.
      let error = await #expect(throws: StartError.self) { _ = try await RoomServer(assembly) }
      #expect(error?.description.contains("\(broken) does not start") == true, "\(error?.description ?? "")")
      await assembly.stop()
    }
    await (try await RoomServer.start(configuration)).stop()
  }

  @Test("a server whose part does not start frees its ports, folders and locks, for each part")
  func eachPart() async throws { try await Self.check() }

  @Test("so does a node of a cluster")
  func eachPartOfANode() async throws {
    let redis = try await RedisServer()
    try await Self.check { configuration in
      configuration.cluster = try? ClusterSettings(store: RedisURL("redis://127.0.0.1:\(redis.port)"))
    }
  }

  @Test("a server without the parts of clusters, LiveKit and pages starts, and has none of their paths")
  func alone() async throws {
    var configuration = Self.configuration
    configuration.autoCreateRooms = true
    let server = try await RoomServer.start(configuration, parts: [], log: TestServer.quiet)
    let test = TestServer(server: server, keys: try .init([TestServer.key: TestServer.secret]))
    for path in ["/", "/watch/room", "/rtc", "/twirp/livekit.RoomService/ListRooms", "/v1/cluster"] {
      #expect(try await test.request("GET", path).status == 404, "\(path)")
    }
    #expect(try await test.api("GET", "/v1/rooms").status == 200)
    _ = try await test.join("ann")
    await server.stop()
  }
}

extension AssemblyTests.Traced {
  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    try await need(assembly)
    note("start")
    return Self()
  }

  func quiesce() async { Self.note("quiesce") }
  func stop() async { Self.note("stop") }

  private static func note(_ text: String) { AssemblyTests.trace.withLock { $0.append("\(text) \(Self.self)") } }
}
