import Foundation
import RoomServer
import Testing

@testable import roomserver

@Suite("Settings")
struct SettingsTests {
  /// Runs `body` with a file of settings that is removed afterwards.
  static func with<Value>(_ text: String, _ body: (String) async throws -> Value) async throws -> Value {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file.path)
  }

  /// Returns the output of `roomserver config`.
  static func printed(
    _ text: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> String {
    let settings = try Serve.parse(arguments).settings(environment: environment, file: SettingsFile(text, path: "file"))
    _ = try settings.configuration()
    return settings.yaml()
  }

  static var file: String {
    get throws { try String(contentsOfFile: "deploy/roomserver.yaml", encoding: .utf8) }
  }

  /// The settings that deploy/roomserver.yaml names.
  static var keys: Set<String> {
    get throws { Set(try file.matches(of: #/(?m)^#([a-z-]+): /#).map { String($0.1) }) }
  }

  @Test("deploy/roomserver.yaml has every setting of the help, is what the server prints, and passes its own check")
  func everySetting() async throws {
    let help = try await Command.run(["help", "serve"], environment: [:]).output
    let flags = Set(help.matches(of: #/--([a-z-]+)/#).map { String($0.1) }.filter { !$0.hasPrefix("no-") })
    #expect(flags.subtracting(["config", "dev", "help", "version"]) == (try Self.keys))
    #expect(try await Command.run(["config", "--template"], environment: [:]).output == (try Self.file))
    let usage = try await Command.run(["config", "--help"], environment: [:]).output
    #expect(usage.contains("USAGE: roomserver config [<options of serve>]"))
    let check = try await Command.run(["config", "--check", "deploy/roomserver.yaml"], environment: [:])
    #expect(check.status == 0 && check.output.contains("settings, valid"), "\(check.errors)")
    // The defaults in the file are valid values.
    let defaults = try Self.file.split(separator: "\n").filter {
      $0.contains(#/^#[a-z-]+: [^<\[]/#) && !$0.contains("-validity") && !$0.contains("recording-limit")
        && !$0.hasPrefix("#upload-") && !$0.contains("s-port")
    }
    #expect(defaults.count > 25)
    let said = try Self.printed(defaults.map { $0.dropFirst() }.joined(separator: "\n"))
    #expect(said.split(separator: "\n").filter { $0.hasSuffix("# file") }.count == defaults.count)
  }

  /// None of these values is the default.
  static let everything = fixed + "\n" + numbers.joined(separator: "\n") + "\n"

  /// A value for each number that the table stores itself and `fixed` does not name.
  static let numbers: [String] = Setting.all.compactMap { setting in
    guard let number = setting.number, !fixed.contains("\n\(setting.key): ") else { return nil }
    return "\(setting.key): \(number.read(.usual) + 1)"
  }

  private static let fixed = """
    key: app
    secret: a secret of forty bytes for testing only
    srt: true
    srt-passphrase: a fifth secret of SRT
    api-key: ["other:a fourth secret, of at least 32 bytes"]
    bind: 127.0.0.2
    port: 0
    media-bind: [127.0.0.3]
    media-port: 0
    media-tcp: false
    segmentation: false
    announce: ["192.0.2.1"]
    announce-bound: yes
    workers: 1
    trusted-proxy: [127.0.0.1, "fd00::/8"]
    joins-per-second: 7
    http-per-address: 9
    certificate: /some.pem
    certificate-key: /some.pem
    https-port: 0
    rtmps-port: 0
    hsts: 60
    ice-server:
      - stun:stun.example.org:3478
      - turn:turn.example.org:3478?transport=udp
    turn-secret: another secret
    turn-lifetime: 60
    auto-create: true
    max-rooms: 7
    publisher-share: 10
    audience: voice
    seats-host: false
    join-burst: 3
    transcode-kbps: 900
    transcode-least-kbps: 300
    sessions-per-token: 3
    sessions-per-user: 4
    public-url: https://live.example.org
    public-rtmp-url: rtmp://live.example.org
    watch-public: true
    watch-chat: true
    watch-viewers: false
    watch-fallback: false
    rtmp: false
    rtmp-port: 0
    rtmp-bind: 127.0.0.4
    rtmp-per-address: 11
    origin-name: live.example.org
    publish-key: p
    publish-validity: 60
    play-key: q
    play-validity: 60
    open-publish: true
    gather: 10
    hls-segment: 1.5
    hls-part: 0
    hls-window: 5
    variants: 0
    relay-target: ["*.example.org", 10.0.0.0/8]
    players: 3
    player-source: [10.0.0.0/8]
    relay-queue: 500
    relay-tries: 3
    relay-patience: 5
    relay-audio-rate: 48000
    relay-audio-kbps: 64
    push-policy: manual
    push-url: rtmp://cdn.example/live/{room}?key=hush
    broadcasts: 7
    mix-cores: 0.5
    mix-font: /font.ttf
    relay-certificates: /some.pem
    recordings: /tmp
    recording-limit: 1
    upload-directory: /tmp
    webhook: ["https://app.example.org/hook?key=hush"]
    livekit-webhook: ["https://app.example.org/livekit?key=hush"]
    webhook-secret: a third
    webhook-certificates: /some.pem
    webhook-timeout: 700
    webhook-max-age: 2
    events-kept: 500
    data: none
    drain: 30
    drain-redirect: wss://b.example.org/v1/signal?key=hush
    cluster: redis://:hush@127.0.0.1/1
    node-address: http://10.0.0.7:8080
    node-ca: /nodes.pem
    node-link-port: 8200
    edge: true
    region: eu
    node-id: n7
    log-level: debug
    """

  @Test("every setting is read from the file, and shown unless it is a secret")
  func effective() throws {
    let printed = try Self.printed(Self.everything)
    for key in try Self.keys.subtracting(["turn-username", "turn-credential"]) {
      let line = printed.split(separator: "\n").first { $0.hasPrefix("\(key): ") || $0.hasPrefix("# \(key): ") }
      #expect(line?.hasSuffix("# file") == true, "\(key): \(line ?? "")")
    }
    for secret in ["forty bytes", "another", "a third", "a fourth", "a fifth", "hush"] { #expect(!printed.contains(secret)) }
    #expect(printed.contains(#"webhook: ["https://app.example.org/hook?hidden"]  # file"#))
    // The output can be read again.
    let open = printed.split(separator: "\n").filter { !$0.hasPrefix("turn-") && !$0.contains("validity") }
      .filter { !$0.hasPrefix("key:") && !$0.hasPrefix("ice-server:") }.joined(separator: "\n")
    _ = try Self.printed(open)
  }

  @Test("a flag takes precedence over the environment, the environment over the file, and the file over the default")
  func precedence() async throws {
    let text = "port: 1001\nrtmp-port: 1002\ngather: 7\n"
    let environment = ["ROOMSERVER_PORT": "2001", "ROOMSERVER_RTMP_PORT": "2002", "ROOMSERVER_ANNOUNCE": "192.0.2.1,192.0.2.2"]
    let printed = try Self.printed(text, ["--port", "3001"], environment: environment)
    for line in [
      "port: 3001  # flag", "rtmp-port: 2002  # environment", "gather: 7  # file", "media-port: 8100  # default",
      "announce: [192.0.2.1, 192.0.2.2]  # environment",
    ] {
      #expect(printed.contains("\n\(line)\n"), "\(line)")
    }
    let development = try Self.printed("", ["--dev"])
    #expect(development.contains("\nmedia-port: 0  # default\n") && development.contains("\ndata: none  # default\n"))
    // The environment may name the file too.
    try await Self.with(text) { file in
      let result = try await Command.run(["config"], environment: ["ROOMSERVER_CONFIG": file])
      #expect(result.output.contains("gather: 7  # file"))
    }
  }

  @Test(
    "errors in a file are reported with their line, and the setting that was probably intended",
    arguments: [
      ("port: 1\nrtmp_port: 2", ":2: there is no setting \"rtmp_port\"; did you mean rtmp-port?"),
      ("webhok: x", "did you mean webhook?"), ("hlsSegment: 2", "did you mean hls-segment?"),
      ("dev: true", "there is no setting \"dev\""), ("port: eighty", ":1: port must be an integer, not eighty"),
      ("port: 70000", ":1: port must be 0 to 65535, not 70000"),
      ("\nrtmp: maybe", ":2: rtmp must be true or false"),
      ("mix-cores: many", "mix-cores must be a number, not many"), ("bind: [a, b]", "bind must be a string"),
      ("announce: {a: b}", "announce must be a list of strings"), ("port:", "port has no value"),
      ("port: 1\nport: 2", "twice"), ("- port", "key: value"), ("port: [", "flow node"),
      ("relay-queue: 1", ":1: relay-queue must be 100 to 30000"),
      ("certificate: a.pem", "--certificate and --certificate-key require each other"),
      ("https-port: 443", "--https-port requires --certificate"),
      ("recording-limit: 3", "--recording-limit requires --recordings"),
      ("log-level: loud", ":1: log-level must be trace, debug"),
      ("secret: short\nkey: k", "32"), ("webhook: ftp://x", "--webhook"),
      ("api-key: [id]", "--api-key must have the form ID:SECRET"),
      ("api-key: [id:short]", "32"), ("audience: loud", ":1: audience must be separate, mixed or voice, not loud"),
      ("silence-time: 5", "--silence-time must be greater than --ping-interval"),
      ("pk-beat-time: 15", "--pk-silence-time must be greater than --pk-beat-time"),
      ("webhook-first-wait: 60000", "--webhook-longest-wait can't be less"),
      ("\ngrace-time: 0", ":2: grace-time must be 1 to 3600"),
    ])
  func refused(text: String, sentence: String) throws {
    for arguments in [[], ["--dev"]] {
      #expect {
        _ = try Self.printed(text, arguments)
      } throws: { "\($0)".contains(sentence) }
    }
  }

  private static func configuration(
    _ text: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> ServeConfiguration {
    try Serve.parse(arguments).settings(environment: environment, file: SettingsFile(text, path: "file")).configuration()
  }

  private static func server(
    _ text: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> ServerConfiguration {
    try configuration(text, arguments, environment: environment).server
  }

  /// The settings without which some numbers are refused.
  private static let required =
    "certificate: c.pem\ncertificate-key: k.pem\npublish-key: p\nplay-key: q\nrecordings: /tmp\nupload-directory: /tmp\n"

  @Test("every number of the table is stored, as a flag, a variable and a line of the file, and rejected outside its range")
  func numbers() throws {
    let numbers = Setting.all.compactMap { setting in setting.number.map { (setting, $0) } }
    #expect(numbers.count > 100)
    // Parsing is slow, so all flags are tested at once, and the rest without flags.
    let flags = try Self.configuration(Self.required, numbers.flatMap { ["--\($0.key)", "\($1.read(.usual) + 1)"] })
    func configuration(_ text: String, environment: [String: String] = [:]) throws -> ServeConfiguration {
      try ServeSettings(environment: environment, file: SettingsFile(Self.required + text, path: "file")).configuration()
    }
    for (setting, number) in numbers {
      let value = number.read(.usual) + 1
      #expect(number.range.contains(number.read(.usual)), "\(setting.key)")
      #expect(number.read(flags) == value, "\(setting.key)")
      for configuration in [
        try configuration("\(setting.key): \(value)"), try configuration("", environment: [setting.variable: "\(value)"]),
      ] {
        #expect(number.read(configuration) == value, "\(setting.key)")
        // No other setting is stored in the same property.
        for (other, number) in numbers where other.key != setting.key {
          #expect(number.read(configuration) == number.read(.usual), "\(setting.key) changes \(other.key)")
        }
      }
      for value in [number.range.lowerBound - 1, number.range.upperBound + 1] {
        #expect(throws: (any Error).self) { try configuration("\(setting.key): \(value)") }
      }
    }
  }

  @Test("times in the file are converted to the units of the room's rules")
  func times() throws {
    let configuration = try Self.server(
      """
      grace-time: 7
      empty-time: 8
      seat-request-time: 9
      ping-interval: 3
      job-status-interval: 4
      audience: voice
      seats-host: false
      http-idle-time: 90
      signal-close-time: 4
      signal-gather-per-socket: 0
      signal-gather-time: 40
      presence-gather-per-socket: 300
      presence-gather-time: 0
      """)
    #expect(configuration.limits.idleTime == .seconds(90))
    #expect(configuration.keepAlive.closeTime == .seconds(4))
    #expect(configuration.signalPause.perSocket == .zero)
    #expect(configuration.signalPause.longest == .milliseconds(40))
    #expect(configuration.presencePause.perSocket == .microseconds(300))
    #expect(configuration.presencePause.longest == .zero)
    #expect(configuration.rooms.graceTime == .seconds(7))
    #expect(configuration.rooms.emptyTime == .seconds(8))
    #expect(configuration.rooms.rules.requestTime == 9000)
    #expect(configuration.keepAlive.pingInterval == .seconds(3))
    #expect(configuration.relay.statusInterval == .seconds(4))
    #expect(configuration.rooms.audience == .voice)
    #expect(!configuration.rooms.rules.hostIsSeated)
  }

  @Test("thread counts are the server's choice unless they are set")
  func threads() throws {
    let usual = try Self.server("")
    #expect(usual.origin.threads == nil && usual.ingestThreads == nil)
    #expect(usual.relay.threads == nil && usual.relay.mixThreads == nil)
    let configuration = try Self.server("rtmp-threads: 1\ningest-threads: 2\nrelay-threads: 3\nmix-threads: 4")
    #expect(configuration.origin.threads == 1 && configuration.ingestThreads == 2)
    #expect(configuration.relay.threads == 3 && configuration.relay.mixThreads == 4)
    #expect(try Self.printed("").contains("\n# mix-threads: default one per core\n"))
  }

  @Test("several API keys: the pair first, then the list in order, by flags, environment and file")
  func keys() throws {
    let (old, new) = ("old:" + String(repeating: "o", count: 32), "new:n:" + String(repeating: "n", count: 32))
    for configuration in [
      try Self.server("api-key: [\"\(new)\", \"\(old)\"]"),
      try Self.server("", ["--api-key", new, "--api-key", old]),
      try Self.server("", environment: ["ROOMSERVER_API_KEYS": "\(new),\(old)"]),
    ] {
      #expect(configuration.signingKey == "new")
      #expect(configuration.keys.mapValues(\.value) == ["old": String(old.dropFirst(4)), "new": String(new.dropFirst(4))])
    }
    let pair = ["--key", "pair", "--secret", String(repeating: "p", count: 32)]
    let configuration = try Self.server("", pair + ["--api-key", old])
    #expect(configuration.signingKey == "pair" && Set(configuration.keys.keys) == ["pair", "old"])
    #expect { try Self.server("", ["--api-key", old, "--api-key", old]) } throws: { "\($0)".contains("given twice") }
  }

  @Test("an invalid file keeps the server from starting, and a missing one is reported")
  func files() async throws {
    try await Self.with("\nrtmp_port: 2") { file in
      for arguments in [["config", "--check", file], ["serve", "--dev", "--config", file]] {
        let result = try await Command.run(arguments, environment: [:])
        #expect(result.status != 0)
        #expect(
          result.errors.contains("\(file):2: there is no setting \"rtmp_port\"; did you mean rtmp-port?"), "\(result.errors)")
      }
    }
    #expect(throws: (any Error).self) { _ = try SettingsFile(path: "/nowhere.yaml") }
  }
}

extension Setting {
  /// The range of a number, and its value in a configuration: the lowest one if the server chooses it.
  fileprivate var number: (range: ClosedRange<Int>, read: (ServeConfiguration) -> Int)? {
    guard case .number(let range, let property) = kind else { return nil }
    return (range, { property.read($0) ?? range.lowerBound })
  }
}
