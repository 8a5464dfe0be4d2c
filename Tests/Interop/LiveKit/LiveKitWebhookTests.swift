import Foundation
import RoomProtocol
import RoomServer
import RoomTestSupport
import RoomToken
import Synchronization
import Testing

extension RealMedia {
  @Suite("LiveKit's webhooks by its Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitWebhookTests {
    @Test("a room's life, its tracks, an egress and an ingress are reported in order") func life() async throws {
      let hooks = try await LiveKitHooks()
      let folder = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let adjust: (inout ServerConfiguration) throws -> Void = {
        $0.webhooks.liveKitURLs = [hooks.url]
        $0.webhooks.firstWait = 20
        $0.relay.recordings = .init(directory: folder.path)
      }
      try await withServer(adjust: adjust) { server in
        let admin = LiveKitAdmin(server: server)
        let room = try await admin.call("create_room", #"{"name": "a room", "metadata": "m"}"#)
        let ann = try LiveKitPeer(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("ann", room: "a room"))
        try await ann.reaches("ann is connected") { $0.connected }
        try ann.tell("publish video")
        try await hooks.reaches("track_published")
        let participant = try await admin.call("get_participant", #"{"room": "a room", "identity": "ann"}"#)
        let track = try #require(ann.state?.me.tracks.keys.first)

        let request = #"{"room_name": "a room", "track_id": "\#(track)", "file": {"filepath": "picture"}}"#
        let egress = try #require(try await admin.call("start_track_egress", request)["egressId"] as? String)
        try await hooks.reaches("egress_updated")
        try await eventually("the file has a picture") {
          try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).contains {
            try !Data(contentsOf: $0).isEmpty
          }
        }
        try await admin.call("stop_egress", #"{"egress_id": "\#(egress)"}"#)
        try await hooks.reaches("egress_ended")

        let ingress = try await admin.call(
          "create_ingress",
          #"{"input_type": "RTMP_INPUT", "name": "c", "room_name": "a room", "participant_identity": "cam 1"}"#)
        let encoder = try Encoder(to: "\(ingress["url"] as? String ?? "")/\(ingress["streamKey"] as? String ?? "")")
        try await hooks.reaches("ingress_started")
        try await admin.call("remove_participant", #"{"room": "a room", "identity": "cam 1"}"#)
        _ = try await encoder.refusal()
        try await hooks.reaches("ingress_ended")
        try ann.tell("leave")
        try await eventually("ann has left") { hooks.events.filter { $0.name == "participant_left" }.count == 2 }
        try await admin.call("delete_room", #"{"room": "a room"}"#)
        try await hooks.reaches("room_finished")

        let events = hooks.events
        let names = events.map(\.name)
        let own = events.filter { $0["participant", "identity"] == "ann" }
        #expect(own.map(\.name) == ["participant_joined", "track_published", "track_unpublished", "participant_left"])
        #expect(own.allSatisfy { $0["participant", "sid"] == participant["sid"] as? String })
        #expect(own.last?["participant", "state"] == "DISCONNECTED")
        #expect(own.last?["participant", "disconnectReason"] == "CLIENT_INITIATED")
        #expect(own[1...2].allSatisfy { $0["track", "sid"] == track && $0["track", "type"] == "VIDEO" })
        #expect(names.first == "room_started" && names.last == "room_finished")
        #expect(events.allSatisfy { $0["room", "sid"] == room["sid"] as? String && $0["room", "name"] == "a room" })
        #expect(events.dropLast().filter { $0["room", "metadata"] != "m" }.map(\.name) == [])
        #expect(events.last?["roomEndReason"] == "ROOM_END_API_DELETE")

        let reports = events.filter { $0.name.hasPrefix("egress_") }
        #expect(reports.map(\.name).filter { $0 != "egress_updated" } == ["egress_started", "egress_ended"])
        #expect(reports.allSatisfy { $0["egressInfo", "egressId"] == egress })
        #expect(reports.last?["egressInfo", "status"] == "EGRESS_COMPLETE")
        #expect(reports.last?.file?["size"] != nil)
        let inputs = events.filter { $0.name.hasPrefix("ingress_") }
        #expect(inputs.map(\.name) == ["ingress_started", "ingress_ended"])
        #expect(inputs.allSatisfy { $0["ingressInfo", "ingressId"] == ingress["ingressId"] as? String })
        #expect(inputs.allSatisfy { $0["ingressInfo", "streamKey"] == nil })
        #expect(Set(events.compactMap(\.id)).count == events.count)
      }
    }
  }
}

/// An app server that receives webhooks in LiveKit's form (`livekit_hooks.py`).
final class LiveKitHooks: Sendable {
  struct Event {
    fileprivate let members: [String: Any]

    var name: String { members["event"] as? String ?? "" }
    var id: String? { members["id"] as? String }
    subscript(_ member: String) -> String? { members[member] as? String }
    subscript(_ message: String, _ member: String) -> String? { self.message(message)?[member] as? String }
    func message(_ name: String) -> [String: Any]? { members[name] as? [String: Any] }
    /// The first file of an egress.
    var file: [String: Any]? { (message("egressInfo")?["fileResults"] as? [[String: Any]])?.first }
  }

  private let process: Process
  private let input = Pipe()
  private let output = Mutex(Data())
  private let port = Mutex(0)

  init() async throws {
    process = Process()
    process.executableURL = URL(filePath: LiveKitPeer.python)
    process.arguments = [
      LiveKitPeer.root.appending(path: "Tests/Interop/LiveKit/livekit_hooks.py").path, TestServer.key, TestServer.secret,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = input
    try process.run()
    pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let bytes = handle.availableData
      if bytes.isEmpty { handle.readabilityHandler = nil }
      self?.output.withLock { $0 += bytes }
    }
    try await eventually("the receiver listens") { lines.first?["port"] is Int }
    port.withLock { $0 = lines.first?["port"] as? Int ?? 0 }
  }

  deinit { process.terminate() }

  var url: String { "http://127.0.0.1:\(port.withLock(\.self))/hook" }

  private var lines: [[String: Any]] {
    output.withLock { $0 }.split(separator: UInt8(ascii: "\n")).compactMap {
      try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
    }
  }

  /// What has arrived with a valid token.
  var events: [Event] { lines.dropFirst().map { Event(members: $0) } }

  /// Waits for an event.
  func reaches(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await eventually("\(name), of \(events.map(\.name))", within: .seconds(30), sourceLocation: sourceLocation) {
      events.contains { $0.name == name }
    }
  }
}
