// Settings of the live origin and of jobs.

extension Setting {
  static let origin: [Setting] = [
    Setting("rtmp", .flag, defaultValue: "true", "Accept and play live streams over RTMP."),
    Setting("rtmp-port", .number, "port", defaultValue: "1935", dev: "0", "The TCP port of RTMP; 0 selects a free one."),
    Setting(
      "rtmp-bind", .text, "address", defaultValue: .description("the address of --bind"),
      "The numeric address that RTMP listens on."),
    .count(
      "rtmp-per-address", 0...1_000_000, at: \.origin.connectionsPerAddress,
      "RTMP connections from one address; 0 for no limit. Trusted proxies have no limit"),
    .count("rtmp-connections", 1...1_000_000, at: \.origin.connections, "RTMP connections"),
    .count(
      "rtmp-silent", 1...1_000_000, at: \.origin.silentConnections,
      "RTMP connections that have sent no request yet; above the limit, the oldest is closed for a new one"),
    .time(
      "rtmp-step-time", 1...600, .seconds, at: \.origin.timeouts.step, in: .microseconds,
      "Seconds that each step of an RTMP client up to its connect command may take"),
    .time(
      "rtmp-idle-time", 1...3600, .seconds, at: \.origin.timeouts.idle, in: .microseconds,
      "Seconds for which an RTMP client may be connected without publishing or playing"),
    .time(
      "rtmp-silence-time", 1...3600, .seconds, at: \.origin.timeouts.silence, in: .microseconds,
      "Seconds without a byte after which an RTMP client is pinged"),
    .time(
      "rtmp-ping-time", 1...600, .seconds, at: \.origin.timeouts.pingAnswer, in: .microseconds,
      "Seconds that an RTMP client has to answer a ping"),
    .count(
      "rtmp-threads", 1...256, at: \.origin.threads, defaultValue: "one per two cores", "Threads that serve RTMP and HTTP-FLV"),
    .count(
      "ingest-threads", 1...256, at: \.ingestThreads, defaultValue: "one per two cores",
      "Threads that convert RTMP streams that encoders publish to rooms"),
    .bytes("rtmp-queue-bytes", 4096...67_108_864, at: \.origin.waitingBytes, "Unsent bytes of one RTMP viewer"),
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
      "origin-name", .list, "host", defaultValue: .description("none"),
      "A host name of this server: jobs that publish to it need no socket. May be repeated."),
    Setting(
      "publish-key", .text, "key", defaultValue: .description("none"), isSecret: true,
      "The key of signed publish URLs (wsSecret, wsTime). Without it, publishing requires a token."),
    Setting(
      "publish-validity", .number, "seconds", defaultValue: "86400",
      "Seconds for which a signed publish URL is valid; requires --publish-key."),
    Setting(
      "play-key", .text, "key", defaultValue: .description("none"), isSecret: true,
      "The key of signed play URLs. Without it, any client may play."),
    Setting(
      "play-validity", .number, "seconds", defaultValue: "86400",
      "Seconds for which a signed play URL is valid; requires --play-key."),
    Setting("open-publish", .flag, defaultValue: "false", "Let any client publish, without a token or a signature."),
    .time(
      "gather", 0...1000, .milliseconds, at: \.origin.gather,
      "Milliseconds for which messages to RTMP and HTTP-FLV viewers are gathered into one write"),
    Setting(
      "hls-segment", .decimal, "seconds", defaultValue: "2",
      "The minimum length of an HLS segment in seconds; it ends at the next key frame."),
    Setting(
      "hls-part", .decimal, "seconds", defaultValue: "0.5",
      "The maximum length of a low-latency HLS part in seconds; 0 for no parts."),
    Setting("hls-window", .number, "segments", defaultValue: "8", "Segments in an HLS playlist, 3 to 100."),
    .bytes(
      "hls-bytes", 1_048_576...1_073_741_824, at: \.origin.hls.cutting.bytes, "Bytes of HLS segments that a stream keeps"),
    .count("hls-streams", 0...100_000, at: \.origin.hls.streams, "Streams that are served by HLS at once"),
    .count("hls-waiting", 1...1_000_000, at: \.origin.hls.waiting, "HLS requests that wait for one stream"),
    .time(
      "hls-idle-time", 5...3600, .seconds, at: \.origin.hls.idleTime,
      "Seconds for which a stream is segmented for HLS after the last request"),
    .time(
      "hls-first-segment-time", 1...120, .seconds, at: \.origin.hls.firstSegmentTime,
      "Seconds for which the first HLS request of a stream waits for a segment"),
    Setting(
      "variants", .number, "variants", defaultValue: .description("half of the cores"),
      "Variants of live streams that are transcoded at a time; 0 for none."),
    .time(
      "variant-idle-time", 1...3600, .seconds, at: \.origin.variants.idleTime,
      "Seconds for which a variant continues after its last viewer has left"),
  ]

  static let relay: [Setting] = [
    Setting(
      "relay-target", .list, "target", defaultValue: .description("public"),
      """
      A target that jobs may push to: "public" (any public address), a host, "*.example.com", or a network such as 10.0.0.0/8. \
      May be repeated.
      """),
    .count(
      "relay-queue", 100...30_000, at: \.relay.broadcasts.push.queueLimit, unit: "ms",
      "Milliseconds of media that are queued for a slow server before pictures are dropped"),
    .time(
      "relay-connect-time", 1...120, .seconds, at: \.relay.broadcasts.push.connectTime, in: .microseconds,
      "Seconds that name lookup, TCP and TLS may take when a job connects to a server"),
    Setting(
      "relay-tries", .number, "count", defaultValue: "10",
      "Consecutive attempts to reach a server before a job fails, 1 to 1000000."),
    .time(
      "relay-patience", 1...86_400, .seconds, at: \.relay.broadcasts.patience, in: .microseconds,
      "Seconds for which a job continues with silence and the last picture after its tracks ended"),
    Setting(
      "transcode-kbps", .number, "kbit/s", defaultValue: .description("by size and rate: 1500 for 720x1280 at 24 fps"),
      "kbit/s of forwarded video that is transcoded because its codec is VP8, VP9 or AV1. 50 to 20000."),
    Setting(
      "transcode-least-kbps", .number, "kbit/s", defaultValue: .description("a third of --transcode-kbps"),
      "The minimum kbit/s of transcoded video on a weak uplink, before its frame rate is reduced to 10. 10 to 20000."),
    .count(
      "transcode-fps", 10...60, at: \.relay.broadcasts.forward.transcodeFPS, unit: "fps",
      "The maximum frame rate of transcoded video; further frames are left out"),
    Setting(
      "relay-audio-rate", .number, "Hz", defaultValue: "44100",
      "The sample rate in Hz of the audio that jobs send, 44100 or 48000."),
    Setting("relay-audio-kbps", .number, "kbit/s", defaultValue: "128", "kbit/s of the audio that jobs send, 32 to 320."),
    Setting(
      "push-policy", .text, "own|manual|auto", defaultValue: "own",
      """
      own: each job names its URL. manual: jobs publish to the room's own URL, --push-url. auto: the server starts them as \
      soon as a participant publishes. The API can set another policy for a room.
      """),
    Setting(
      "push-url", .text, "url", defaultValue: .description("none"), hidesQuery: true,
      "The URL for manual and auto, containing {room} or {user}: rtmp://cdn.example/live/{room}."),
    .count("relay-threads", 1...256, at: \.relay.threads, defaultValue: "one per core", "Threads that jobs share"),
    .count("broadcasts", 1...10_000, at: \.relay.limit, "Concurrent broadcasts, one for each publish URL"),
    .count("jobs-per-room", 1...1000, at: \.relay.jobsPerRoom, "Concurrent jobs of one room"),
    .time(
      "job-status-interval", 1...3600, .seconds, at: \.relay.statusInterval, "Seconds between two jobStatus events of a job"),
    Setting(
      "mix-cores", .decimal, "cores", defaultValue: .description("85 % of the machine"),
      "Cores that mixes may use, 0.05 to 1024; a merge job that would exceed them is refused."),
    .count("mix-threads", 1...256, at: \.relay.mixThreads, defaultValue: "one per core", "Threads that mixes share"),
    Setting(
      "mix-font", .text, "file", defaultValue: .description("DejaVu Sans"),
      "A font file for texts in mixes, such as one with Chinese characters."),
    Setting(
      "relay-certificates", .text, "file", defaultValue: .description("the system's"),
      "A PEM file of certificate authorities that are trusted for RTMPS servers."),
    Setting(
      "recordings", .text, "directory", defaultValue: .description("none, no recording"),
      "A directory that jobs may record into, by publish URLs file:NAME.mp4 and file:NAME.flv."),
    Setting(
      "recording-limit", .number, "GiB", defaultValue: "8",
      "The maximum size of a recording file in GiB, 1 to 65536; requires --recordings."
    ),
  ]
}
