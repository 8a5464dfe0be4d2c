import ArgumentParser
import Foundation
import RoomPeers
import Testing

@testable import RoomLoadtest

extension RealMedia {
  /// Runs the commands in README, `docs/` and `api/` verbatim.
  @Suite("The commands of the documentation")
  struct DocumentedCommandsTests {
    /// The pages whose commands are run, and each page's prerequisites.
    private static let newcomers: [String: PageRunner] = [
      "README.md": PageRunner(
        words: ["--bind 0.0.0.0 --announce 203.0.113.7": "--bind 127.0.0.1 --announce 127.0.0.1"]),
      "docs/client-guide.md": PageRunner(
        before: """
          signal=ws://127.0.0.1:$ROOMSERVER_PORT/v1/signal
          is_live() { room "$1/state" | grep -q '"onAir":true'; }
          is_seated() { room lounge/state | grep -q "\\"userId\\":\\"$1\\""; }
          """,
        words: [
          "sleep 2      # until it serves": "",
          "sleep 2      # until alice is live: who is invited has to be there": "until_works is_live alice",
          "client-guide live": "client-guide live --url $signal",
          "client-guide battle": "client-guide battle --url $signal",
          "client-guide host": "client-guide host --url $signal",
          // A minute of speech; the test only checks that it starts.
          ".build/debug/client-guide speak":
            "until_works is_seated host; timeout 60 .build/debug/client-guide speak --url $signal",
          "--user carl --grant subscribe)\"": "--user carl --grant subscribe)\" & until_works is_seated carl",
        ]),
      "docs/ingest.md": PageRunner(
        before: "roomserver serve --auto-create",
        then: ["-b:v 2500k": "until_works has_track demo camera"]),
      "docs/mixing.md": PageRunner(
        then: [
          "anchor bob": "until_works has_track demo alice; until_works has_track demo bob",
          "\"jobId\": \"after\"": "until_works is_on_air demo after; ffplay rtmp://127.0.0.1:$ROOMSERVER_RTMP_PORT/live/alice",
          "\"jobId\": \"pk\"": "until_works is_on_air demo pk; ffplay http://127.0.0.1:$ROOMSERVER_PORT/live/alice.flv",
        ]),
      "docs/operations.md": PageRunner(
        before: """
          mkdir backup
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout privkey.pem -out fullchain.pem
          """,
        words: [
          "/var/lib/roomserver/data": "roomserver-data", "/srv/backup": "backup",
          "roomserver serve --certificate": "restart_server --certificate",
          "--https-port 443": "--https-port \(httpsPort) --rtmps-port 0",
        ],
        then: [
          "--certificate": "until_works command curl -sf --cacert fullchain.pem https://localhost:\(httpsPort)/healthz",
          "sqlite3": "test -s backup/rooms.sqlite; test -s backup/webhooks.sqlite",
        ]),
      "docs/players.md": PageRunner(
        before: """
          mkdir uploads; echo film > film.mp4
          roomserver serve --upload-directory uploads
          api=$(roomserver token --api)
          """),
      "docs/origin.md": PageRunner(
        before: "roomserver serve --auto-create; api=$(roomserver token --api)",
        then: [
          "--user encoder": """
          ffplay rtmp://127.0.0.1:$ROOMSERVER_RTMP_PORT/live/studio
          restart_server --auto-create
          publishes room/demo alice
          until_works has_track demo alice
          """,
          "live/studio.m3u8": """
          export ROOMSERVER_PLAY_KEY=the-key-to-play
          restart_server --data another
          publishes live/studio encoder
          """,
        ]),
      "docs/relay.md": PageRunner(
        before: """
          mkdir recordings
          roomserver serve --auto-create --relay-target 127.0.0.1
          api=$(roomserver token --api)
          publishes room/demo alice
          until_works has_track demo alice
          """,
        words: [
          "rtmps://push.cdn.example/live/streamkey": "rtmp://origin/live/streamkey",
          "/var/lib/roomserver/recordings": "recordings --auto-create --data another",
        ],
        then: [
          "--relay-target push.cdn.example": "end; wait || true",
          "serve …": """
          api=$(roomserver token --api)
          publishes room/demo alice
          until_works has_track demo alice
          """,
        ]),
      "docs/settings.md": PageRunner(
        before: "mkdir etc; cp deploy/roomserver.yaml etc/",
        words: ["/etc/roomserver/roomserver.yaml": "etc/roomserver.yaml", "--media-port 9000": "--media-port 0"],
        then: ["--media-port 9000": "end; wait || true"]),
      "docs/watch.md": PageRunner(),
      "docs/webhooks.md": PageRunner(),
      "docs/whip.md": PageRunner(
        before: "roomserver serve --auto-create; cp '\(offer)' offer.sdp",
        words: ["sessions/…": "sessions/$(sed -n 's|^Location: .*/||p' answer | tr -d '\\r')"]),
    ]

    private static let httpsPort = (try? TCPPort.free()) ?? 8443
    private static let offer = Page.root.appending(path: "Tests/WebRTCTests/SDP/Fixtures/chromium-subscribe-first.sdp").path

    /// Fragments that identify blocks which are not run here, with the reasons.
    private static let elsewhere: [String: [String: String]] = [
      "README.md": [
        "deploy/run.sh ": "installs and builds; deploy/test.sh runs this",
        "-f whip": "requires an ffmpeg newer than Debian 12's",
        "loadtest run": "builds, and runs for minutes",
      ],
      "docs/client-media.md": [
        "capture-devices cameras": "requires cameras", "capture-devices measure": "a measurement",
        "capture-devices screens": "requires a display",
      ],
      "docs/client-c-python.md": [
        "install-client.sh": "a release build", "speakers": "ClientLibraryTests compiles and runs it",
        "viewer": "ClientLibraryTests compiles and runs it", "app.c": "a program of the reader",
        "build-wheel.sh": "a release build", "publish_numpy.py": "ClientLibraryTests runs it",
      ],
      "docs/kubernetes.md": [
        "kubectl apply -k deploy/kubernetes/trial": "requires Kubernetes; KubernetesTests validates the files",
        "docker compose": "requires a container engine", "helm upgrade": "requires Kubernetes",
      ],
      "docs/licences.md": ["ROOMSERVER_OPENH264": "rebuilds"],
      "docs/livekit-server.md": [
        "pip install livekit-agents": "installs 400 MB", "tone.py dev": "LiveKitAgentTests runs such an agent",
      ],
      "docs/performance.md": ["loadtest run": "builds, and runs for minutes"],
      "docs/performance/network.md": ["loadtest network": "builds, and runs for minutes"],
      "docs/ingest.md": ["-f mpegts": "SRTIngestTests publishes from ffmpeg", "ffplay": "needs a display; SRTPlayTests plays"],
      "docs/console.md": ["CONSOLE_SCREENSHOTS": "takes pictures for minutes"],
      "docs/operations.md": [
        "sudo deploy/install-program.sh": "a release build", "ssl-cert": "requires root", "systemctl": "requires systemd",
        "/etc/roomserver/secrets; roomserver": "requires root",
        "docker compose": "requires a container engine",
      ],
      "docs/node-link.md": ["linkcosts": "a benchmark"],
      "docs/performance/packet-path.md": ["packetpath": "a benchmark"],
      "docs/performance/forwarding.md": ["loadtest": "a benchmark"],
      "docs/performance/mixing.md": ["loadtest": "a benchmark"],
      "docs/performance/rooms.md": ["loadtest": "a benchmark"],
      "docs/performance/viewers.md": ["loadtest": "a benchmark"],
      "docs/performance/scale.md": ["cluster.sh": "a release build"],
      "docs/mixing.md": ["follow": "`call` is defined below; StageProgramTests starts such jobs"],
      "docs/whip.md": ["-f whip": "requires an ffmpeg newer than Debian 12's"],
    ]

    @Test("are all listed", arguments: try Page.all()) func isKnown(_ page: Page) throws {
      let left = Self.elsewhere[page.path, default: [:]].keys
      for word in left { #expect(page.blocks.contains { $0.text.contains(word) }, "\(page.path) has no \(word)") }
      guard Self.newcomers[page.path] == nil else { return }
      for block in page.blocks {
        #expect(left.contains { block.text.contains($0) }, "not run: \(page.path):\(block.line)")
      }
    }

    @Test("work verbatim", .timeLimit(.minutes(4))) func work() async throws {
      var left = try Page.all().filter { Self.newcomers[$0.path] != nil }[...]
      try await withThrowingTaskGroup(of: Void.self) { readers in
        // Two in parallel, because a page's commands mostly wait.
        for page in left.prefix(2) { readers.addTask { try await Self.paste(page) } }
        left = left.dropFirst(2)
        for try await _ in readers {
          guard let page = left.popFirst() else { continue }
          readers.addTask { try await Self.paste(page) }
        }
      }
      try await PageRunner.removeFilm()
    }

    private static func paste(_ page: Page) async throws {
      let left = elsewhere[page.path, default: [:]].keys
      let newcomer = try #require(newcomers[page.path])
      try await newcomer.paste(page.blocks.filter { block in !left.contains { block.text.contains($0) } }, of: page)
    }

    @Test("of loadtest use existing parameters", arguments: try Page.all()) func areParameters(_ page: Page) throws {
      for line in page.blocks.flatMap({ $0.text.components(separatedBy: "\n") }) {
        let words = line.components(separatedBy: " #")[0].split(separator: " ").map(String.init)
        guard words.first == "loadtest" || words.first == ".build/release/loadtest" else { continue }
        let command = try Loadtest.parseAsRoot(Array(words.dropFirst()))
        if let run = command as? Run { _ = try run.scenario() }
      }
    }
  }
}
