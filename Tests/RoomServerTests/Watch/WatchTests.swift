import Foundation
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomWebPages

@Suite("Watching without joining")
struct WatchTests {
  /// A request of each entry point for viewers of a room, and the status of its success.
  enum Door: CaseIterable {
    case state, offer, picture

    func open(_ server: TestServer, room: String, _ token: String? = nil) async throws -> Int {
      switch self {
      case .state: try await server.http("GET", "/v1/watch/\(room)", token).status
      case .offer: try await server.post("/whep/\(room)", token, HTTPOffer.view(.opus)).status
      case .picture: try await server.http("GET", "/watch/\(room)/picture.jpg", token).status
      }
    }

    /// The rooms of these tests are not on air.
    var success: Int {
      switch self {
      case .state: 200
      case .offer: 201
      case .picture: 404
      }
    }
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

  @Test("a page reports why it shows nothing; the reasons are counted, and others are refused")
  func failures() async throws {
    try await TestServer.with { server in
      func report(_ json: String) async throws -> Int {
        try await server.request("POST", "/v1/watch-failures", json: json).status
      }
      for reason in ["codec", "network", "permission", "offline", "codec"] {
        #expect(try await report(#"{"reason":"\#(reason)","path":"room"}"#) == 204)
      }
      #expect(try await report(#"{"reason":"codec","path":"live/room"}"#) == 204)
      for json in [#"{"reason":"mood","path":"room"}"#, #"{"reason":"codec"}"#, "[]", ""] {
        #expect(try await report(json) == 400)
      }
      for path in ["", "a/b/c", "room\u{1}", "live/"] {
        #expect(try await report(#"{"reason":"codec","path":"\#(path)"}"#) >= 400)
      }
      let metrics = try await server.request("GET", "/metrics").text
      for (reason, count) in [("codec", 3), ("network", 1), ("permission", 1), ("offline", 1)] {
        #expect(metrics.contains("roomserver_watch_failures_total{reason=\"\(reason)\"} \(count)\n"))
      }
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
      #expect(try await server.http("GET", "/watch/room/picture.jpg").status == 429)
      #expect(try await server.http("GET", "/watch/live/room/picture.jpg").status == 429)
      #expect(try await server.metric("roomserver_limits_hit_total{limit=\"watch_rate\"}") == 4)
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
      // The page passes its own signature to its picture.
      #expect(try await server.http("GET", "/watch/live/studio/picture.jpg").status == 403)
      let page = try await server.http("GET", "/watch\(link)&embed=%22").text.replacing("&amp;", with: "&")
      let picture = try #require(page.firstMatch(of: /"http:\/\/127\.0\.0\.1:\d+(\/watch\/live\/studio\/picture\.jpg\?[^"]+)"/))
        .1
      #expect(!picture.contains("embed"))
      #expect(try await server.http("GET", String(picture)).status == 404)

      let publisher = try await RTMPPeer.start(.publish, server, "studio?token=\(try server.token("anchor", room: "studio"))")
      publisher.sendBeginning()
      try await eventually("it is live") { try await server.http("GET", "/v1/watch\(link)").text.contains(#""isLive":true"#) }
      let state = try await server.http("GET", "/v1/watch\(link)").text.replacing("\\/", with: "/")
      let flv = try #require(state.firstMatch(of: /"flv":"([^"]+)"/)).1
      #expect(flv.hasPrefix("/live/studio.flv?wsSecret="))
      publisher.end()
    }
  }

  @Test("the link to share opens the room, and expires unless the room is public")
  func share() async throws {
    struct Links: Decodable {
      var link: String
      var embed: String
      var qr: String?
      var expiresAt: Int64?
    }
    try await TestServer.with { server in
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#)
      let path = "/v1/rooms/room/share"
      #expect(try await server.http("GET", path).status == 401)
      let links = try await server.api("GET", "\(path)?ttl=60").decoded(Links.self)
      let token = try #require(links.link.firstMatch(of: /\/watch\/room\?token=(.+)$/)).1
      #expect(links.embed.hasPrefix("<iframe src=\"\(links.link)&amp;embed\"") && links.qr?.hasPrefix("<svg ") == true)
      #expect(try #require(links.expiresAt) < Int64(Date().timeIntervalSince1970 * 1000) + 60_001)
      let asked = try await server.http("GET", "/v1/watch/room", headers: ["Authorization": "Bearer \(token)"])
      #expect(asked.status == 200)
      #expect(try await server.api("GET", "\(path)?ttl=0").status == 400)
      _ = try await server.api("PATCH", "/v1/rooms/room", json: #"{"watch":{"public":true}}"#)
      let open = try await server.api("GET", path).decoded(Links.self)
      #expect(open.link.hasSuffix("/watch/room") && open.expiresAt == nil)
      let stream = try await server.api("GET", "/v1/streams/live/studio/share").decoded(Links.self)
      #expect(stream.link.hasSuffix("/watch/live/studio") && stream.embed.contains("studio?embed"))
      #expect(try await server.api("GET", "/v1/rooms/none/share").status == 404)
    }
  }

  @Test("pages may be embedded, and keep their address to themselves; names that cannot be are 404")
  func pages() async throws {
    try await TestServer.with { server in
      for path in ["/watch/room", "/watch/live/studio"] {
        let page = try await server.http("GET", path)
        #expect(page.status == 200 && page.headers["referrer-policy"] == "no-referrer")
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors *") == true)
        #expect(page.headers["x-content-type-options"] == "nosniff" && page.headers["cache-control"] == "no-cache")
        #expect(page.text.contains(#"<meta property="og:title" content="\#(path.split(separator: "/").last ?? "")">"#))
      }
      #expect(try await server.http("GET", "/watch/%3Cscript%3E").status == 404)
      #expect(try await server.http("GET", "/watch/live/%3Cscript%3E").status == 404)
      #expect(try await server.http("GET", "/").headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    }
  }

  @Test("a page names the files of its version, which browsers keep, and is itself compressed and revalidated")
  func files() async throws {
    try await TestServer.with { server in
      let page = try await server.http("GET", "/watch/room")
      let version = PageFiles.embedded.version
      let named = page.text.matches(of: /"(\/console\/[^"]+)"/).map { String($0.1) }
      #expect(named.contains("/console/\(version)/watch.js") && named.contains("/console/\(version)/playing.js"))
      for path in named {
        #expect(path.hasPrefix("/console/\(version)/"), "\(path)")
        #expect(try await server.http("GET", path).status == 200, "\(path)")
      }
      let compressed = try await server.http("GET", "/watch/room", headers: ["Accept-Encoding": "gzip"])
      #expect(compressed.headers["content-encoding"] == "gzip" && compressed.body.count < page.body.count)
      let tag = try #require(page.headers["etag"])
      #expect(try await server.http("GET", "/watch/room", headers: ["If-None-Match": tag]).status == 304)
      #expect(try await server.http("GET", "/watch/other", headers: ["If-None-Match": tag]).status == 200)
    }
  }

  @Test("while the server drains, the state names the server that takes over")
  func redirect() async throws {
    try await TestServer.with({ $0.rooms.watch.isPublic = true }) { server in
      try await Self.make(server)
      #expect(try await !server.http("GET", "/v1/watch/room").text.contains("redirect"))
      let order = #"{"seconds":300,"redirect":"wss://next.example/v1/signal"}"#
      #expect(try await server.api("POST", "/v1/server/drain", json: order).status == 202)
      for path in ["/v1/watch/room", "/v1/watch/live/studio"] {
        let state = try await server.http("GET", path).text.replacing("\\/", with: "/")
        #expect(state.contains(#""redirect":"wss://next.example/v1/signal""#))
      }
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
      let state = try await server.api("GET", "/v1/server").text
      #expect(state.contains(#""rtmpPort":"#) && !state.contains("srtPort"))
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
