import Foundation
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@Suite("Watching without joining")
struct WatchTests {
  /// A request of each entry point for viewers of a room, and the status of its success.
  enum Door: CaseIterable {
    case state, offer

    func open(_ server: TestServer, room: String, _ token: String? = nil) async throws -> Int {
      switch self {
      case .state: try await server.http("GET", "/v1/watch/\(room)", token).status
      case .offer: try await server.post("/whep/\(room)", token, HTTPOffer.view(.opus)).status
      }
    }

    var success: Int { self == .state ? 200 : 201 }
  }

  private static func make(_ server: TestServer, _ settings: String = "") async throws {
    let json = #"{"name":"room"\#(settings)}"#
    #expect(try await server.api("POST", "/v1/rooms", json: json).status == 201)
  }

  @Test("a room that is not public needs a token of its own with the grant to subscribe", arguments: Door.allCases)
  func privateRoom(_ door: Door) async throws {
    try await TestServer.with { server in
      try await Self.make(server)
      #expect(try await door.open(server, room: "room") == 401)
      #expect(try await door.open(server, room: "room", "no token") == 401)
      let refused = [
        (try server.token("eve", room: "other"), 403), (try server.token("eve", grants: [.publish]), 403),
        (try server.token("eve", ttl: -60), 401),
      ]
      for (token, status) in refused { #expect(try await door.open(server, room: "room", token) == status) }
      let token = try server.token("eve", grants: [.subscribe, .hidden])
      #expect(try await door.open(server, room: "room", token) == door.success)
      // A kick ends the watching too.
      #expect(try await server.post("/whep/room", token, HTTPOffer.view(.opus)).status == 201)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/eve").status == 204)
      #expect(try await door.open(server, room: "room", token) == 401)
    }
  }

  @Test("a public room needs no token; a room that does not exist is refused like a private one", arguments: Door.allCases)
  func publicRoom(_ door: Door) async throws {
    try await TestServer.with { server in
      try await Self.make(server, #","watch":{"public":true}"#)
      #expect(try await door.open(server, room: "room") == door.success)
      #expect(try await door.open(server, room: "room", "no token") == 401)
      #expect(try await door.open(server, room: "missing") == 401)
      #expect(try await server.api("PATCH", "/v1/rooms/room", json: #"{"watch":{"public":false}}"#).status == 200)
      #expect(try await door.open(server, room: "room") == 401)
    }
  }

  @Test("viewers without a token see the program only, and open no room")
  func program() async throws {
    try await TestServer.with({ $0.rooms.watch.isPublic = true }) { server in
      try await Self.make(server)
      #expect(try await server.post("/whep/room/alice", nil, HTTPOffer.view(.opus)).status == 401)
      let offer = try HTTPOffer.publish(.opus)
      #expect(try await server.post("/whip/room", nil, offer).status == 401)
      #expect(try await server.http("GET", "/v1/watch/missing").status == 200)
      #expect(try await server.post("/whep/missing", nil, HTTPOffer.view(.opus)).status == 404)
      #expect(try await server.api("GET", "/v1/rooms/missing").status == 404)
    }
  }

  @Test("the viewers of an address that send no token share the limits of a user, and end their own sessions")
  func shared() async throws {
    try await TestServer.with({
      $0.rooms.watch.isPublic = true
      $0.limits.sessionsPerUser = 2
    }) { server in
      try await Self.make(server)
      let first = try await server.post("/whep/room", nil, HTTPOffer.view(.opus)).location()
      #expect(try await server.post("/whep/room", nil, HTTPOffer.view(.opus)).status == 201)
      #expect(try await server.post("/whep/room", nil, HTTPOffer.view(.opus)).status == 429)
      let other = try server.token("eve")
      #expect(try await server.http("DELETE", first, other).status == 403)
      #expect(try await server.http("DELETE", first).status == 200)
      #expect(try await server.post("/whep/room", nil, HTTPOffer.view(.opus)).status == 201)
    }
  }

  @Test("the state has the messages to all if the room shows them, and only later ones on request")
  func messages() async throws {
    try await TestServer.with { server in
      try await Self.make(server, #","watch":{"public":true,"chat":true,"viewers":false}"#)
      let text = #"{"kind":"text","text":"hello"}"#
      #expect(try await server.api("POST", "/v1/rooms/room/calls/sendMessage", json: text).status == 200)
      let alice = try await server.join("alice")
      let secret = #"{"kind":"text","text":"secret","to":"alice"}"#
      #expect(try await server.api("POST", "/v1/rooms/room/calls/sendMessage", json: secret).status == 200)
      _ = alice
      try await eventually("the message is shown") { try await server.http("GET", "/v1/watch/room").text.contains("hello") }
      let state = try await server.http("GET", "/v1/watch/room").text
      #expect(!state.contains("secret") && !state.contains("viewers"))
      let seq = try #require(state.firstMatch(of: /"seq":(\d+)/).map { String($0.1) })
      #expect(try await server.http("GET", "/v1/watch/room?after=\(seq)").text.contains(#""messages":[]"#))
      #expect(try await server.http("GET", "/v1/watch/room?after=x").status == 400)
      #expect(try await server.api("PATCH", "/v1/rooms/room", json: #"{"watch":{"public":true}}"#).status == 200)
      try await eventually("they are no longer shown") {
        try await !server.http("GET", "/v1/watch/room").text.contains("messages")
      }
    }
  }

  @Test("requests above the rate of an address are refused")
  func rate() async throws {
    try await TestServer.with({
      $0.limits.watchesPerSecond = 0.001
      $0.limits.watchBurst = 3
    }) { server in
      for _ in 0..<3 {
        let status = try await server.http("GET", "/v1/watch/room").status
        #expect(status == 401)
      }
      #expect(try await server.http("GET", "/v1/watch/room").status == 429)
      #expect(try await server.http("GET", "/v1/watch/live/room").status == 429)
      #expect(try await server.metric("roomserver_limits_hit_total{limit=\"watch_rate\"}") == 2)
    }
  }

  @Test("with a key for playing, the watch page of a stream needs a signed link, and hands out signed URLs")
  func signedStream() async throws {
    let protection = HotlinkProtection(play: .init(key: "pull", validity: 60))
    try await TestServer.with({ $0.origin.protection = protection }) { server in
      #expect(try await server.http("GET", "/v1/watch/live/studio").status == 403)
      let play = try await server.api("GET", "/v1/streams/live/studio/play").decoded(PlayURLs.self)
      #expect(play.expiresAt != nil && play.whep == nil)
      let link = try #require(play.watch.firstMatch(of: /\/watch(\/.*)$/)).1
      #expect(try await server.http("GET", "/v1/watch\(link)").status == 200)
      #expect(try await server.http("GET", "/v1/watch\(link.replacing("studio", with: "other"))").status == 403)

      let publisher = try await RTMPPeer.start(.publish, server, "studio?token=\(try server.token("anchor", room: "studio"))")
      publisher.sendBeginning()
      try await eventually("it is live") { try await server.http("GET", "/v1/watch\(link)").text.contains(#""isLive":true"#) }
      let state = try await server.http("GET", "/v1/watch\(link)").text.replacing("\\/", with: "/")
      let flv = try #require(state.firstMatch(of: /"flv":"([^"]+)"/)).1
      #expect(flv.hasPrefix("/live/studio.flv?wsSecret="))
      publisher.end()
    }
  }

  @Test("pages may be embedded, and keep their address to themselves; names that cannot be are 404")
  func pages() async throws {
    try await TestServer.with { server in
      for path in ["/watch/room", "/watch/live/studio"] {
        let page = try await server.http("GET", path)
        #expect(page.status == 200 && page.headers["referrer-policy"] == "no-referrer")
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors *") == true)
        #expect(page.text.contains(#"<meta property="og:title" content="\#(path.split(separator: "/").last ?? "")">"#))
      }
      #expect(try await server.http("GET", "/watch/%3Cscript%3E").status == 404)
      #expect(try await server.http("GET", "/watch/live/%3Cscript%3E").status == 404)
      #expect(try await server.http("GET", "/").headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    }
  }

  @Test("a participant gets new play URLs, of a variant too; a size or a rate that there is not is 80204")
  func variants() async throws {
    let protection = HotlinkProtection(play: .init(key: "pull", validity: 60))
    try await TestServer.with({ $0.origin.protection = protection }) { server in
      let client = try await server.join("ann")
      let whole = try await client.call(.getPlayURLs(.original), PlayURLs.self)
      #expect(whole.flv?.contains("/live/room.flv?wsSecret=") == true && whole.expiresAt != nil)
      let small = try await client.call(
        .getPlayURLs(PlayPicture(width: 360, height: 640, fps: 24)), PlayURLs.self)
      let link = try #require(small.flv?.firstMatch(of: /(\/live\/room_360_640_24\.flv)\?(.*)$/))
      let now = Int64(Date().timeIntervalSince1970)
      try protection.check(path: String(link.1), query: String(link.2), for: .play, unixTime: now)
      #expect(small.watch == whole.watch)
      let usual = try await client.call(.getPlayURLs(PlayPicture(width: 640, height: 360)), PlayURLs.self)
      #expect(usual.hls?.contains("/live/room_640_360_15.m3u8") == true)
      for picture in [
        PlayPicture(width: 641, height: 360), PlayPicture(width: 640, height: 360, fps: 25), PlayPicture(fps: 15),
        PlayPicture(width: 640),
      ] {
        let error = await #expect(throws: RoomError.self) {
          try await client.call(.getPlayURLs(picture), PlayURLs.self)
        }
        #expect(error?.code == .cdnParameters, "\(picture)")
      }
    }
  }

  @Test("a room's snapshot and the API have its play URLs with real ports, or those of the settings")
  func urls() async throws {
    try await TestServer.with { server in
      let urls = #"{"hls":"https://cdn.example/{room}.m3u8","user":"https://cdn.example/{user}"}"#
      try await Self.make(server, #","push":{"mode":"own","playUrls":\#(urls)}"#)
      struct Detail: Decodable { let play: PlayURLs }
      let play = try await server.api("GET", "/v1/rooms/room").decoded(Detail.self).play
      let http = "http://127.0.0.1:\(server.server.port)"
      #expect(play.watch == "\(http)/watch/room" && play.whep == "\(http)/whep/room")
      #expect(play.hls == "\(http)/live/room.m3u8" && play.flv == "\(http)/live/room.flv")
      let port = try #require(server.server.rtmpPort)
      #expect(play.rtmp == "rtmp://127.0.0.1:\(port)/live/room")
      #expect(play.expiresAt == nil && play.others == ["hls": "https://cdn.example/room.m3u8"])
      let client = try await server.connect()
      let joined = try await client.join(try server.token("host", grants: [.publish, .subscribe, .admin]))
      #expect(joined.room.play?.others?["user"] == "https://cdn.example/host")
      #expect(try await server.api("GET", "/v1/server").text.contains(#""rtmpPort":"#))
      let bad = #"{"push":{"mode":"own","playUrls":{"hls":"no url"}}}"#
      #expect(try await server.api("PATCH", "/v1/rooms/room", json: bad).status == 400)
    }
    try await TestServer.with({ $0.publicURL = "https://live.example.org/" }) { server in
      try await Self.make(server)
      let text = try await server.api("GET", "/v1/rooms/room").text.replacing("\\/", with: "/")
      #expect(text.contains("https://live.example.org/watch/room"))
      #expect(text.contains("rtmp://live.example.org:"))
    }
  }
}
