// The table of settings: the help, the environment, the file and `roomserver config` all read it.

extension Setting {
  /// Settings that belong together.
  struct Section: Sendable {
    let title: String
    let settings: [Setting]
  }

  static let all: [Setting] = sections.flatMap(\.settings)
  static let named: [String: Setting] = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

  static let sections: [Section] = [
    Section(title: "Access", settings: access), Section(title: "Network", settings: network),
    Section(title: "TLS", settings: tls), Section(title: "STUN and TURN", settings: iceServers),
    Section(title: "Rooms", settings: rooms),
    Section(title: "Live origin: RTMP, HTTP-FLV, HLS", settings: origin),
    Section(title: "Jobs: pushing, mixing, recording", settings: relay),
    Section(title: "Webhooks and events", settings: webhooks),
    Section(title: "The server itself", settings: server),
  ]

  private static let access = [
    Setting("key", .text, "key", usual: .words("none: one is needed"), "The API key."),
    Setting(
      "secret", .text, "secret", usual: .words("none: one is needed"), isSecret: true,
      "The API key's secret, at least 32 bytes: `openssl rand -hex 32`."),
  ]

  private static let tls = [
    Setting(
      "certificate", .text, "file", usual: .words("none: no TLS"),
      """
      A PEM file, the server's certificate and behind it those above it: HTTPS, wss:// and RTMPS are served too. A renewed file \
      counts within a minute, without a restart.
      """),
    Setting(
      "certificate-key", .text, "file", usual: .words("none"), "A PEM file, the certificate's key, without a passphrase."),
    Setting("https-port", .number, "port", usual: "8443", "The TCP port of HTTPS and wss://, where there is a certificate."),
    Setting("rtmps-port", .number, "port", usual: "1936", "The TCP port of RTMPS, where there is a certificate."),
    Setting(
      "hsts", .number, "seconds", usual: "0",
      """
      Seconds for which browsers that came by HTTPS come by nothing else (HSTS), to every port of the host; 0 tells them nothing. A \
      year is 31536000.
      """),
  ]

  private static let network = [
    Setting(
      "bind", .text, "address", usual: "127.0.0.1",
      "The numeric address to listen on, for HTTP and media: 0.0.0.0 is all of IPv4, :: all of both families."),
    Setting("port", .number, "port", usual: "8080", "The TCP port of HTTP and signalling; 0 takes a free one."),
    Setting(
      "media-bind", .list, "address", usual: .words("that of --bind"),
      "A numeric address for media, where it is not that of --bind. May be repeated, for both families."),
    Setting(
      "media-port", .number, "port", usual: "8100", dev: "0",
      "The UDP and TCP port of the first media worker, the others' follow; 0 takes free ones."),
    Setting("media-tcp", .flag, usual: "true", "Take media over TCP too, for clients that UDP does not reach."),
    Setting(
      "segmentation", .flag, usual: "true",
      "Hand several packets to the kernel as one message that it cuts (UDP GSO): a fraction of the CPU."),
    Setting(
      "announce", .list, "address", usual: .words("the bound ones"),
      "A numeric address that clients reach the media ports at, of a NAT in front. May be repeated."),
    Setting(
      "announce-bound", .flag, usual: "false",
      "Tell clients of the bound addresses too, after those of --announce, for clients on this side of the NAT."),
    Setting(
      "workers", .number, "count", usual: .words("one for each core"), "Media workers, 1 to 256: threads with a port each."),
    Setting(
      "trusted-proxy", .list, "network", usual: .words("none"),
      """
      The address of a proxy in front of this server, or its network, such as 10.0.0.0/8: behind it a client's address is what \
      X-Forwarded-For says. May be repeated.
      """),
    Setting(
      "joins-per-second", .number, "count", usual: "20",
      "Joins that one address may make in a second, after a burst of five seconds' worth, 1 to 100000."),
    Setting(
      "http-per-address", .number, "count", usual: "1000",
      """
      HTTP connections that one address may have, signalling sockets among them, of 4000 in all; 0 for no limit. Trusted proxies \
      have none, and each client behind them may have as many signalling sockets.
      """),
  ]

  private static let iceServers = [
    Setting(
      "ice-server", .list, "url", usual: .words("none"),
      "A STUN or TURN server for clients: stun:host:port, turn:host:port?transport=udp, turns:host:port. May be repeated."),
    Setting(
      "turn-secret", .text, "secret", usual: .words("none"), isSecret: true,
      "The secret of the TURN servers (coturn: static-auth-secret): each client gets credentials of its own that expire."),
    Setting(
      "turn-lifetime", .number, "seconds", usual: "86400", "Seconds for which credentials made from the secret are good."),
    Setting(
      "turn-username", .text, "name", usual: .words("none"), "The user name for the TURN servers, where they have no secret."),
    Setting("turn-credential", .text, "password", usual: .words("none"), isSecret: true, "The password to --turn-username."),
  ]

  private static let rooms = [
    Setting("auto-create", .flag, usual: "false", dev: "on", "Make a room at the first join."),
    Setting(
      "max-rooms", .number, "count", usual: "1000", "Rooms that the server has at once, 1 to 1000000; another one is refused."),
    Setting(
      "publisher-share", .number, "percent", usual: "2",
      """
      Percent of a room's places, rounded up, that only tokens with the publish grant get: viewers can't keep a host out. 0 to 100; \
      one place at least is for all.
      """),
    Setting(
      "sessions-per-token", .number, "count", usual: "50",
      "WHEP sessions that one token may have in its room at once, 1 to 100000. Raise it if a whole audience shares a token."),
    Setting(
      "sessions-per-user", .number, "count", usual: "100",
      "WHEP sessions that one user may have in a room at once, by all its tokens, 1 to 100000."),
  ]

  private static let origin = [
    Setting("rtmp", .flag, usual: "true", "Take and play live streams by RTMP."),
    Setting("rtmp-port", .number, "port", usual: "1935", dev: "0", "The TCP port of RTMP; 0 takes a free one."),
    Setting(
      "rtmp-bind", .text, "address", usual: .words("that of --bind"),
      "A numeric address for RTMP, where it is not that of --bind."),
    Setting(
      "rtmp-per-address", .number, "count", usual: "5000",
      "RTMP connections that one address may have, of 20000 in all; 0 for no limit. Trusted proxies have none."),
    Setting(
      "origin-name", .list, "host", usual: .words("none"),
      "A name that this server is reached by: jobs that publish to it need no socket. May be repeated."),
    Setting(
      "publish-key", .text, "key", usual: .words("none"), isSecret: true,
      "The key of signed publish URLs (wsSecret, wsTime). Without it publishing needs a token."),
    Setting(
      "publish-validity", .number, "seconds", usual: "86400",
      "Seconds for which a signed publish URL is good; with --publish-key."),
    Setting(
      "play-key", .text, "key", usual: .words("none"), isSecret: true,
      "The key of signed play URLs. Without it anybody may play."),
    Setting(
      "play-validity", .number, "seconds", usual: "86400", "Seconds for which a signed play URL is good; with --play-key."),
    Setting("open-publish", .flag, usual: "false", "Let anybody publish, with neither token nor signature."),
    Setting(
      "gather", .number, "ms", usual: "100",
      "Milliseconds for which messages to RTMP and HTTP-FLV viewers are gathered into one write, 0 to 1000."),
    Setting(
      "hls-segment", .decimal, "seconds", usual: "2",
      "Seconds of an HLS segment: it ends with the first key frame from there on."),
    Setting(
      "hls-part", .decimal, "seconds", usual: "0.5", "Seconds of a part of low-latency HLS at most; 0 for no parts."),
    Setting("hls-window", .number, "segments", usual: "8", "Segments in an HLS playlist, 3 to 100."),
    Setting(
      "variants", .number, "variants", usual: .words("half of the cores"),
      "Variants of live streams that are transcoded at a time; 0 for none."),
  ]

  private static let relay = [
    Setting(
      "relay-target", .list, "target", usual: .words("public"),
      """
      Where jobs may push to: "public" (any public address), a host, "*.example.com", or a network such as 10.0.0.0/8. May be \
      repeated.
      """),
    Setting(
      "relay-queue", .number, "ms", usual: "2000",
      "Milliseconds of media that may wait for a slow server before pictures are dropped, 100 to 30000."),
    Setting(
      "relay-tries", .number, "count", usual: "10", "Tries in a row to reach a server before a job fails, 1 to 1000000."),
    Setting(
      "relay-patience", .number, "seconds", usual: "30",
      "Seconds for which a job goes on with silence and the last picture once its tracks are gone, 1 to 86400."),
    Setting("relay-audio-rate", .number, "Hz", usual: "44100", "Hz of the sound that jobs send, 44100 or 48000."),
    Setting("relay-audio-kbps", .number, "kbit/s", usual: "128", "kbit/s of the sound that jobs send, 32 to 320."),
    Setting(
      "push-policy", .text, "own|manual|auto", usual: "own",
      """
      own: each job names its URL. manual: jobs go to the room's own URL, --push-url. auto: the server begins them itself as soon \
      as somebody publishes. A room can be created with another.
      """),
    Setting(
      "push-url", .text, "url", usual: .words("none"), hidesQuery: true,
      "The URL of manual and auto, with {room} or {user} in it: rtmp://cdn.example/live/{room}."),
    Setting("broadcasts", .number, "count", usual: "256", "Publish URLs that are fed at once, 1 to 10000."),
    Setting(
      "mix-cores", .decimal, "cores", usual: .words("85 % of the machine"),
      "Cores that mixes may take, 0.05 to 1024; a merge job that would not fit is refused."),
    Setting(
      "mix-font", .text, "file", usual: .words("DejaVu Sans"),
      "A font file for texts in mixes, such as one with Chinese letters."),
    Setting(
      "relay-certificates", .text, "file", usual: .words("the system's"),
      "A PEM file of the certificates that RTMPS servers may be signed by."),
    Setting(
      "recordings", .text, "directory", usual: .words("none, nothing is recorded"),
      "A directory that jobs may record into, by publish URLs file:NAME.mp4 and file:NAME.flv."),
    Setting(
      "recording-limit", .number, "GiB", usual: "8", "GiB that the file of a recording may have, 1 to 65536; with --recordings."
    ),
  ]

  private static let webhooks = [
    Setting(
      "webhook", .list, "url", usual: .words("none"), hidesQuery: true,
      "A URL that is told what happens in rooms, by a signed POST for each event. May be repeated."),
    Setting(
      "webhook-secret", .text, "secret", usual: .words("the API key's secret"), isSecret: true, "What these are signed with."),
    Setting(
      "webhook-certificates", .text, "file", usual: .words("the system's"),
      "A PEM file of the certificates that https webhooks may be signed by."),
    Setting("webhook-timeout", .number, "ms", usual: "5000", "Milliseconds in which a webhook has to answer, 100 to 60000."),
    Setting(
      "webhook-max-age", .number, "hours", usual: "24", "Hours after which an undelivered event is given up, 1 to 720."),
    Setting(
      "events-kept", .number, "count", usual: "50000",
      "Events of rooms that are kept, for webhooks and for GET /v1/events, 100 to 10000000."),
  ]

  private static let server = [
    Setting(
      "data", .text, "directory", usual: "roomserver-data", dev: "none",
      "The directory for what outlives the server: it is made, and one server uses it at a time. \"none\" keeps nothing."),
    Setting(
      "drain", .number, "seconds", usual: "0",
      "Seconds that SIGTERM leaves open rooms to end by themselves, 0 to 86400; no room is opened meanwhile. SIGINT ends at once."
    ),
    Setting(
      "drain-redirect", .text, "url", usual: .words("none"), hidesQuery: true,
      "The signalling URL of the server that takes over: new joins are sent there while this one drains, and whoever is left at the end."
    ),
    Setting("log-level", .text, "level", usual: "info", "trace, debug, info, notice, warning, error or critical."),
  ]
}
