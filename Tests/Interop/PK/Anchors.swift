import Foundation
import RoomRelay
import RoomClient
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

/// The rooms "red" and "blue", each with an anchor who broadcasts to the origin with their own colour and tone.
enum Anchors {
  static let names = ["red", "blue"]
  static let tones = ["red": 1000.0, "blue": 600]
  /// Number of PKs between the two: `ROOMSERVER_ROUNDS`, 3 by default.
  static let rounds =
    ProcessInfo.processInfo.environment["ROOMSERVER_ROUNDS"].flatMap { Int($0) } ?? TestLength.pick(3, long: 10)
  /// The default split screen at a quarter of its size.
  static let picture = PKPicture(
    width: 360, height: 640, fps: 15, videoKbps: 600, preset: .ultrafast, own: .init(x: 0, y: 160, width: 180, height: 320),
    peer: .init(x: 180, y: 160, width: 180, height: 320))

  /// - Parameter audience: `separate` saves the CPU of the mixes for the rooms' participants.
  static func settings(_ audience: RoomAudience) -> (inout ServerConfiguration) throws -> Void {
    { try set(&$0, audience) }
  }

  private static func set(_ configuration: inout ServerConfiguration, _ audience: RoomAudience) throws {
    configuration.rooms.audience = audience
    configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
    configuration.relay.statusInterval = .milliseconds(250)
    configuration.relay.mixCores = 8
    // Puts the two rooms on two workers.
    configuration.media.workers = 2
  }

  /// One source is landscape and H.264, the other portrait and VP8.
  static func source(_ name: String) throws -> FlashAndBeep {
    name == "red"
      ? try FlashAndBeep(look: .init(width: 320, height: 180, blue: 100, red: 200, tone: 1000, isSteady: true))
      : try FlashAndBeep(codec: .vp8, look: .init(width: 192, height: 256, blue: 200, red: 100, tone: 600, isSteady: true))
  }

  /// - Parameter other: the server of the second room; nil for the same.
  static func makeRooms(_ server: TestServer, _ other: TestServer? = nil) async throws {
    let picture = String(decoding: try JSONEncoder().encode(Self.picture), as: UTF8.self)
    for (name, server) in zip(names, [server, other ?? server]) {
      let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)","pk":\#(picture)}"#)
      #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
    }
  }

  static func token(_ server: TestServer, _ name: String) async throws -> String {
    try await server.token(user: UserID(name), room: RoomName(name), grants: [.publish, .subscribe, .relay, .admin])
  }

  /// Joins, publishes and starts the broadcast.
  /// - Parameters:
  ///   - url: the publish URL; nil for a stream of the server's origin.
  ///   - network: the network between the anchor and the server's media ports.
  static func live(
    _ server: TestServer, _ name: String, _ source: FlashAndBeep, to url: String? = nil, through network: BadNetwork? = nil
  ) async throws -> Room {
    var options = RoomOptions()
    if let network { options.mediaAddressOverride = { network.detour(for: $0) } }
    let room = try await Room.connect(to: server.url, token: try await token(server, name), options: options)
    try await room.publish(source.tracks)
    try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: try url ?? server.rtmp("live/\(name)")))
    return room
  }

  /// Starts one viewer for each anchor, the first over RTMP and the second over HTTP-FLV.
  /// - Parameter other: the server of the second room; nil for the same.
  static func watch(_ server: TestServer, _ other: TestServer? = nil) async throws -> [Viewer] {
    try await eventually("both are on air") {
      let streams = try await server.metric("roomserver_origin_streams")
      let others = try await other?.metric("roomserver_origin_streams") ?? 0
      return streams + others == 2
    }
    let viewers = [try Viewer(try server.rtmp("live/red")), try Viewer((other ?? server).http("/live/blue.flv"))]
    try await eventually("both are watched") { viewers.allSatisfy(\.isWatching) }
    return viewers
  }

  /// Waits until the viewers of both anchors see both of them, or only their own, long enough to hear the tones.
  static func areSeen(_ viewers: [Viewer], together: Bool, for seconds: Double = 1.2) async throws {
    for (index, name) in names.enumerated() {
      let look = together ? "\(name)|\(names[1 - index])" : name
      try await eventually("\(name)'s viewer sees \(look)", within: .seconds(90)) {
        try viewers[index].sees(look, for: seconds)
      }
    }
  }

  /// Starts a PK: one anchor invites, the other accepts.
  static func meet(
    _ red: Room, in redRoom: RoomName = "red", _ blue: Room, in blueRoom: RoomName = "blue", _ mode: PKMode = .bridge
  ) async throws {
    let invited = try await red.pk.invite(in: blueRoom, mode: mode)
    try await eventually("the other anchor receives the invitation") {
      blue.pk.invitations.contains { $0.pkId == invited.pkId }
    }
    try await blue.pk.accept(invited.pkId)
    try await eventually("the PK has started") {
      red.pk.current?.room == blueRoom && blue.pk.current?.room == redRoom
    }
  }
}

extension Seen {
  /// Compares the recording with what an anchor's viewers should receive: one stream without gaps, with the looks in order and
  /// the audio of the anchors who are visible.
  /// - Parameters:
  ///   - source: the anchor's source.
  ///   - tones: the tones to detect.
  func check(
    _ name: String, _ expected: [String], _ source: FlashAndBeep, tones: [String: Double] = Anchors.tones,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let pictures = recording.steps("video")
    let sounds = recording.steps("audio")
    // A stalling machine costs pictures. BroadcastTests checks the strict bound in virtual time.
    let (stalls, longest) = source.stalls
    let late = pictures.filter { $0 > 0.101 }
    #expect(pictures.allSatisfy { $0 > 0 && $0 < 0.4 + 2 * longest }, "\(name): \(late)", sourceLocation: sourceLocation)
    #expect(
      late.count <= source.droppedPictures + stalls + 2 + expected.count / 10, "\(name): \(late)",
      sourceLocation: sourceLocation)
    // 1024 samples at 44.1 kHz in whole milliseconds.
    #expect(
      sounds.allSatisfy { $0 > 0.0225 && $0 < 0.0245 }, "\(name): \(sounds.filter { $0 < 0.0225 || $0 > 0.0245 })",
      sourceLocation: sourceLocation)
    #expect(looks == expected, "\(name)", sourceLocation: sourceLocation)
    #expect(blanks <= stalls + expected.count / 10, "\(name): \(runs)", sourceLocation: sourceLocation)
    var heard: [String] = []
    for run in runs {
      for (who, tone) in tones {
        let (pieces, all) = hears(tone, in: run)
        let isThere = run.look.components(separatedBy: "|").contains(who)
        // Audio that is late because of the machine is concealed.
        let isRight = isThere ? pieces * 10 >= all * 7 : pieces * 10 <= all
        if !isRight { heard.append("\(run.look) at \(run.from) s: \(who) in \(pieces) of \(all)") }
      }
    }
    #expect(heard.isEmpty || longest > 0.5, "\(name): \(heard)", sourceLocation: sourceLocation)
    let told = [
      "\(name): \(looks.count) looks, \(blanks) with an empty half at first", "\(pictures.count + 1) pictures",
      "the longest step \(milliseconds(pictures.max())) ms, \(late.count) over 101 ms",
      "\(source.droppedPictures) pictures never left, the machine stalled \(stalls) times, \(milliseconds(longest)) ms at most",
      "audio steps \(milliseconds(sounds.min())) to \(milliseconds(sounds.max())) ms",
    ]
    print(told.joined(separator: ", "))
  }

  private func milliseconds(_ seconds: Double?) -> Int { Int(((seconds ?? 0) * 1000).rounded()) }
}
