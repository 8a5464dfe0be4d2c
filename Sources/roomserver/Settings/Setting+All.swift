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
    Section(title: "Media workers", settings: media), Section(title: "TLS", settings: tls),
    Section(title: "STUN and TURN", settings: iceServers),
    Section(title: "Rooms", settings: rooms),
    Section(title: "Seats, PK, messages and attributes", settings: rules), Section(title: "Signalling", settings: signalling),
    Section(title: "Live origin: RTMP, HTTP-FLV, HLS", settings: origin),
    Section(title: "Jobs: pushing, mixing, recording", settings: relay),
    Section(title: "Webhooks and events", settings: webhooks),
    Section(title: "The server itself", settings: server),
  ]

  private static let access: [Setting] = [
    Setting("key", .text, "key", usual: .words("none: one is needed"), "The API key."),
    Setting(
      "secret", .text, "secret", usual: .words("none: one is needed"), isSecret: true,
      "The API key's secret, at least 32 bytes: `openssl rand -hex 32`."),
    Setting(
      "api-key", .list, "id:secret", usual: .words("none"), isSecret: true, variable: "ROOMSERVER_API_KEYS",
      """
      An API key with its secret, in one. May be repeated: tokens of all keys are good, and the server signs with the first, which \
      is that of --key if there is one.
      """),
  ]

  private static let tls: [Setting] = [
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

  private static let network: [Setting] = [
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
      "join-burst", .number, "count", usual: .words("five seconds' worth"),
      "Joins that one address may make at once, 1 to 1000000."),
    .count(
      "http-per-address", 0...1_000_000, at: \.limits.connectionsPerAddress,
      """
      HTTP connections that one address may have, signalling sockets among them; 0 for no limit. Trusted proxies have none, and \
      each client behind them may have as many signalling sockets
      """),
    .count("http-connections", 10...1_000_000, at: \.limits.connections, "HTTP connections, signalling sockets among them"),
    .count("http-threads", 1...256, at: \.httpThreads, "Threads that serve HTTP"),
    .bytes("http-body-bytes", 1024...16_777_216, at: \.limits.bodyBytes, "Bytes of an HTTP request's body, images apart"),
    .time(
      "http-head-time", 1...600, .seconds, at: \.limits.requestTime,
      "Seconds in which the head of an HTTP request arrives; a body has a second more for each 16 KiB"),
  ]

  private static let media: [Setting] = [
    .count("worker-transports", 2...1_000_000, at: \.media.limits.transportsPerWorker, "Transports of one media worker"),
    .count("worker-tracks", 2...1_000_000, at: \.media.limits.tracksPerWorker, "Published tracks of one media worker"),
    .count(
      "worker-injections", 0...1_000_000, at: \.media.limits.injectionsPerWorker,
      "Of these, tracks that the server makes itself: mixes and RTMP"),
    .count(
      "worker-subscriptions", 2...10_000_000, at: \.media.limits.subscriptionsPerWorker, "Subscriptions of one media worker"),
    .count(
      "transport-tracks", 1...4096, at: \.media.limits.tracksPerTransport,
      "Tracks that one transport publishes, and as many that it receives"),
    .count(
      "transport-ssrcs", 0...65_536, at: \.media.limits.learnedSSRCsPerTransport,
      "SSRCs that one transport may add to those it signalled"),
    .count("track-subscriptions", 1...1_000_000, at: \.media.limits.subscriptionsPerTrack, "Subscriptions to one track"),
    .time(
      "key-frame-interval", 50...60_000, .milliseconds, at: \.media.limits.keyFrameInterval, in: .microseconds,
      "Milliseconds between two key frame requests for one stream"),
    .count(
      "publisher-bitrate", 100_000...1_000_000_000, at: \.media.limits.bitratePerPublisher, unit: "bit/s",
      "Bits a second that a publisher without transport-wide feedback is allowed (REMB)"),
    .count(
      "media-tcp-connections", 0...1_000_000, at: \.media.limits.tcpConnectionsPerWorker, "TCP connections of one media worker"),
    .count(
      "media-tcp-unproven", 1...1_000_000, at: \.media.limits.tcpUnprovenPerAddress,
      "Of these, connections of one address that brought no valid connectivity check yet"),
    .time(
      "media-tcp-proof-time", 1...600, .seconds, at: \.media.limits.tcpProofTime, in: .microseconds,
      "Seconds in which a TCP connection brings a valid connectivity check"),
    .time(
      "media-tcp-idle-time", 5...3600, .seconds, at: \.media.limits.tcpIdleTime, in: .microseconds,
      "Seconds without a byte after which a client's TCP connection is closed"),
    .bytes(
      "media-tcp-queue-bytes", 65_536...67_108_864, at: \.media.limits.tcpQueueBytes, "Bytes that wait for one TCP connection"),
  ]

  private static let iceServers: [Setting] = [
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

  private static let rooms: [Setting] = [
    Setting("auto-create", .flag, usual: "false", dev: "on", "Make a room at the first join."),
    .count("max-rooms", 1...1_000_000, at: \.limits.rooms, "Rooms that the server has at once; another one is refused"),
    .count(
      "room-participants", 1...100_000, at: \.limits.participantsPerRoom,
      "Participants of a room: the default, and the most that a room can be created with"),
    .count(
      "publisher-share", 0...100, at: \.limits.publisherShare, unit: "percent",
      """
      Percent of a room's places, rounded up, that only tokens with the publish grant get: viewers can't keep a host out. One place \
      at least is for all
      """),
    .count(
      "sessions-per-token", 1...100_000, at: \.limits.sessionsPerToken,
      "WHEP sessions that one token may have in its room at once. Raise it if a whole audience shares a token"),
    .count(
      "sessions-per-user", 1...100_000, at: \.limits.sessionsPerUser,
      "WHEP sessions that one user may have in a room at once, by all its tokens"),
    .count(
      "tracks-per-participant", 1...128, at: \.limits.tracksPerParticipant, "Tracks that one participant publishes at once"),
    Setting(
      "audience", .text, "separate|mixed|voice", usual: "mixed",
      """
      What participants without a seat get. separate: every track. mixed: one mix of pictures and sound while two or more are seated. \
      voice: one mix of sound. A room can be created with another.
      """),
    Setting(
      "seats-host", .flag, usual: "true",
      "Seat the first participant who joins with the grants admin and publish as the host. A room can be created with another."),
    .time(
      "grace-time", 1...3600, .seconds, at: \.rooms.graceTime,
      "Seconds for which a participant keeps its place and tracks after its connection is lost"),
    .time(
      "connect-time", 1...600, .seconds, at: \.rooms.connectTime,
      "Seconds in which the media of a WHIP or WHEP session connects"),
    .time(
      "empty-time", 1...604_800, .seconds, at: \.rooms.emptyTime,
      "Seconds for which a room that the API created stays open while nobody is in it. A room can be created with another"),
    .time(
      "auto-created-empty-time", 1...604_800, .seconds, at: \.rooms.autoCreatedEmptyTime,
      "Seconds for which a room that a join created stays open while nobody is in it"),
  ]

  /// A room keeps those that it was created with, also over a restart.
  private static let rules: [Setting] = [
    .time(
      "seat-request-time", 1...3600, .seconds, at: \.rooms.rules.requestTime, in: .milliseconds,
      "Seconds after which a request for a seat expires"),
    .time(
      "seat-invitation-time", 1...3600, .seconds, at: \.rooms.rules.invitationTime, in: .milliseconds,
      "Seconds after which an invitation to a seat expires"),
    .count("seat-requests", 1...1000, at: \.rooms.rules.requests, "Requests for seats that wait in a room at once"),
    .count("seat-invitations", 1...1000, at: \.rooms.rules.invitations, "Invitations to seats that wait in a room at once"),
    .time(
      "pk-invitation-time", 1...3600, .seconds, at: \.rooms.rules.pkInvitationTime, in: .milliseconds,
      "Seconds after which an invitation to a PK expires"),
    .count("pk-invitations", 1...1000, at: \.rooms.rules.pkInvitations, "PK invitations that wait in a room at once"),
    .time(
      "pk-begin-time", 1...600, .seconds, at: \.rooms.rules.pkBeginTime, in: .milliseconds,
      "Seconds in which the other room begins a PK that was accepted"),
    .time(
      "pk-grace-time", 1...3600, .seconds, at: \.rooms.rules.pkGraceTime, in: .milliseconds,
      "Seconds for which a PK continues while one of its anchors is not connected"),
    .time(
      "pk-beat-time", 1...600, .seconds, at: \.rooms.rules.pkBeatTime, in: .milliseconds,
      "Seconds between two reports that the rooms of a PK send each other"),
    .time(
      "pk-silence-time", 2...3600, .seconds, at: \.rooms.rules.pkSilenceTime, in: .milliseconds,
      "Seconds without such a report after which the other room counts as gone; more than pk-beat-time"),
    .count(
      "messages-per-second", 1...10_000, at: \.rooms.rules.messagesPerSecond,
      "Room messages that one user sends in a second, after the burst"),
    .count("message-burst", 1...100_000, at: \.rooms.rules.messageBurst, "Room messages that one user sends at once"),
    .count("history-messages", 0...10_000, at: \.rooms.rules.historyMessages, "Messages that a newcomer gets"),
    .bytes("history-bytes", 0...16_777_216, at: \.rooms.rules.historyBytes, "Bytes of these messages"),
    .count("attributes", 1...10_000, at: \.rooms.rules.attributes, "Attributes of a room"),
    .count("attributes-per-call", 1...10_000, at: \.rooms.rules.attributesPerCall, "Attributes that one call sets"),
    .bytes("attribute-key-bytes", 1...1024, at: \.rooms.rules.attributeKeyBytes, "Bytes of an attribute's name"),
    .bytes("attribute-value-bytes", 1...65_536, at: \.rooms.rules.attributeValueBytes, "Bytes of an attribute's value"),
    .count(
      "journal-entries", 1...100_000, at: \.rooms.rules.journalEntries,
      "Changes that a room remembers for participants who reconnect"),
    .bytes("journal-bytes", 1024...268_435_456, at: \.rooms.rules.journalBytes, "Bytes of these changes, about"),
  ]

  private static let signalling: [Setting] = [
    .time("ping-interval", 1...300, .seconds, at: \.keepAlive.pingInterval, "Seconds between two pings on a signalling socket"),
    .time(
      "silence-time", 2...3600, .seconds, at: \.keepAlive.silence,
      "Seconds without a byte after which a signalling socket is closed; more than ping-interval"),
    .time("join-time", 1...600, .seconds, at: \.keepAlive.joinTime, "Seconds in which a signalling socket joins a room"),
    .bytes("signal-bytes", 65_536...16_777_216, at: \.limits.messageBytes, "Bytes of one signalling message"),
    .rate(
      "signals-per-second", 1...100_000, at: \.limits.messagesPerSecond,
      "Signalling messages read from one socket in a second, after the burst; more are read later"),
    .count("signal-burst", 1...1_000_000, at: \.limits.messageBurst, "Signalling messages read from one socket at once"),
    .rate(
      "changes-per-second", 1...100_000, at: \.limits.changesPerSecond,
      "Calls of one participant that send an event to the whole room, in a second, after the burst; more are refused"),
    .count("change-burst", 1...1_000_000, at: \.limits.changeBurst, "Such calls of one participant at once"),
    .bytes(
      "signal-queue-bytes", 65_536...268_435_456, at: \.limits.outgoingBytes,
      "Bytes that wait for one signalling socket; a client that reads more slowly is closed"),
    .count("signal-threads", 1...256, at: \.signallingThreads, "Threads of signalling"),
    .count("joins-tracked", 100...10_000_000, at: \.limits.joinAddresses, "Addresses whose joins are counted"),
    .count("kicked-tokens", 100...10_000_000, at: \.limits.kickedTokens, "Tokens of kicked users that are remembered"),
  ]

  private static let origin: [Setting] = [
    Setting("rtmp", .flag, usual: "true", "Take and play live streams by RTMP."),
    Setting("rtmp-port", .number, "port", usual: "1935", dev: "0", "The TCP port of RTMP; 0 takes a free one."),
    Setting(
      "rtmp-bind", .text, "address", usual: .words("that of --bind"),
      "A numeric address for RTMP, where it is not that of --bind."),
    .count(
      "rtmp-per-address", 0...1_000_000, at: \.origin.connectionsPerAddress,
      "RTMP connections that one address may have; 0 for no limit. Trusted proxies have none"),
    .count("rtmp-connections", 1...1_000_000, at: \.origin.connections, "RTMP connections"),
    .count(
      "rtmp-silent", 1...1_000_000, at: \.origin.silentConnections,
      "RTMP connections that did not say yet what they want; the oldest is closed for a new one"),
    .time(
      "rtmp-step-time", 1...600, .seconds, at: \.origin.timeouts.step, in: .microseconds,
      "Seconds for each step of an RTMP client up to connect"),
    .time(
      "rtmp-idle-time", 1...3600, .seconds, at: \.origin.timeouts.idle, in: .microseconds,
      "Seconds for which an RTMP client may be connected without publishing or playing"),
    .time(
      "rtmp-silence-time", 1...3600, .seconds, at: \.origin.timeouts.silence, in: .microseconds,
      "Seconds without a byte after which an RTMP client is pinged"),
    .time(
      "rtmp-ping-time", 1...600, .seconds, at: \.origin.timeouts.pingAnswer, in: .microseconds,
      "Seconds in which it answers the ping"),
    .bytes("rtmp-queue-bytes", 4096...67_108_864, at: \.origin.waitingBytes, "Bytes that wait for one RTMP viewer"),
    .count("streams", 1...1_000_000, at: \.origin.streams, "Live streams at once"),
    .count("viewers", 1...10_000_000, at: \.origin.viewers, "Viewers of all live streams at once"),
    .count("stream-viewers", 1...10_000_000, at: \.origin.stream.viewers, "Viewers of one live stream at once"),
    .bytes(
      "stream-bytes", 1_048_576...1_073_741_824, at: \.origin.stream.bytes, "Bytes of messages that a live stream keeps"),
    .bytes(
      "stream-message-bytes", 65_536...67_108_864, at: \.origin.stream.messageLength, "Bytes of one message of a live stream"),
    .time(
      "stream-linger", 0...3600, .seconds, at: \.origin.linger,
      "Seconds for which a live stream and its viewers wait for its publisher to reconnect"),
    .time(
      "viewer-lag", 100...60_000, .milliseconds, at: \.origin.stream.lag, in: .milliseconds,
      "Milliseconds by which a viewer may be late before it loses video"),
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
    .time(
      "gather", 0...1000, .milliseconds, at: \.origin.gather,
      "Milliseconds for which messages to RTMP and HTTP-FLV viewers are gathered into one write"),
    Setting(
      "hls-segment", .decimal, "seconds", usual: "2",
      "Seconds of an HLS segment: it ends with the first key frame from there on."),
    Setting(
      "hls-part", .decimal, "seconds", usual: "0.5", "Seconds of a part of low-latency HLS at most; 0 for no parts."),
    Setting("hls-window", .number, "segments", usual: "8", "Segments in an HLS playlist, 3 to 100."),
    .bytes(
      "hls-bytes", 1_048_576...1_073_741_824, at: \.origin.hls.cutting.bytes, "Bytes of HLS segments that a stream keeps"),
    .count("hls-streams", 0...100_000, at: \.origin.hls.streams, "Streams that are served by HLS at once"),
    .count("hls-waiting", 1...1_000_000, at: \.origin.hls.waiting, "HLS requests that wait for one stream"),
    .time(
      "hls-idle-time", 5...3600, .seconds, at: \.origin.hls.idleTime,
      "Seconds after the last request for which a stream is still cut for HLS"),
    .time(
      "hls-first-segment-time", 1...120, .seconds, at: \.origin.hls.firstSegmentTime,
      "Seconds for which the first HLS request of a stream waits for a segment"),
    Setting(
      "variants", .number, "variants", usual: .words("half of the cores"),
      "Variants of live streams that are transcoded at a time; 0 for none."),
    .time(
      "variant-idle-time", 1...3600, .seconds, at: \.origin.variants.idleTime,
      "Seconds for which a variant is made after its last viewer has left"),
  ]

  private static let relay: [Setting] = [
    Setting(
      "relay-target", .list, "target", usual: .words("public"),
      """
      Where jobs may push to: "public" (any public address), a host, "*.example.com", or a network such as 10.0.0.0/8. May be \
      repeated.
      """),
    .count(
      "relay-queue", 100...30_000, at: \.relay.broadcasts.push.queueLimit, unit: "ms",
      "Milliseconds of media that may wait for a slow server before pictures are dropped"),
    .time(
      "relay-connect-time", 1...120, .seconds, at: \.relay.broadcasts.push.connectTime, in: .microseconds,
      "Seconds for name, TCP and TLS when a job connects to a server"),
    Setting(
      "relay-tries", .number, "count", usual: "10", "Tries in a row to reach a server before a job fails, 1 to 1000000."),
    .time(
      "relay-patience", 1...86_400, .seconds, at: \.relay.broadcasts.patience, in: .microseconds,
      "Seconds for which a job continues with silence and the last picture after its tracks ended"),
    Setting(
      "transcode-kbps", .number, "kbit/s", usual: .words("by size and rate: 1500 for 720x1280 at 24 pictures a second"),
      "kbit/s of forwarded pictures that have to be encoded, because they come as VP8, VP9 or AV1. 50 to 20000."),
    Setting(
      "transcode-least-kbps", .number, "kbit/s", usual: .words("a third"),
      "kbit/s that a weak uplink reduces them to at least, before it reduces the frame rate to 10. 10 to 20000."),
    .count(
      "transcode-fps", 10...60, at: \.relay.broadcasts.forward.transcodeFPS, unit: "fps",
      "Such pictures a second at most; others are left out"),
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
    .count("broadcasts", 1...10_000, at: \.relay.limit, "Publish URLs that are fed at once"),
    .count("jobs-per-room", 1...1000, at: \.relay.jobsPerRoom, "Jobs of one room at once"),
    .time(
      "job-status-interval", 1...3600, .seconds, at: \.relay.statusInterval, "Seconds between two jobStatus events of a job"),
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

  private static let webhooks: [Setting] = [
    Setting(
      "webhook", .list, "url", usual: .words("none"), hidesQuery: true,
      "A URL that is told what happens in rooms, by a signed POST for each event. May be repeated."),
    Setting(
      "webhook-secret", .text, "secret", usual: .words("the API key's secret"), isSecret: true, "What these are signed with."),
    Setting(
      "webhook-certificates", .text, "file", usual: .words("the system's"),
      "A PEM file of the certificates that https webhooks may be signed by."),
    .time("webhook-timeout", 100...60_000, .milliseconds, at: \.webhooks.timeout, "Milliseconds in which a webhook answers"),
    .time(
      "webhook-first-wait", 10...600_000, .milliseconds, at: \.webhooks.firstWait, in: .milliseconds,
      "Milliseconds after a webhook's first failure; they double with each further one"),
    .time(
      "webhook-longest-wait", 10...3_600_000, .milliseconds, at: \.webhooks.longestWait, in: .milliseconds,
      "Milliseconds that they become at most; not less than webhook-first-wait"),
    .count(
      "webhook-concurrent", 1...1000, at: \.webhooks.concurrent, "Deliveries to one webhook at once; a room has one at a time"),
    .time(
      "webhook-max-age", 1...720, .hours, at: \.webhooks.longestAge, "Hours after which an undelivered event is given up"),
    .count(
      "events-kept", 100...10_000_000, at: \.webhooks.kept,
      "Events of rooms that are kept, for webhooks and for GET /v1/events"),
  ]

  private static let server: [Setting] = [
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
