// Settings of the live origin and of jobs.

extension Setting {
  static let origin: [Setting] = [
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
    .count(
      "rtmp-threads", 1...256, at: \.origin.threads, usual: "one for two cores", "Threads that serve RTMP and HTTP-FLV"),
    .count(
      "ingest-threads", 1...256, at: \.ingestThreads, usual: "one for two cores",
      "Threads that convert what encoders publish into rooms by RTMP"),
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

  static let relay: [Setting] = [
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
    .count("relay-threads", 1...256, at: \.relay.threads, usual: "one for each core", "Threads that jobs share"),
    .count("broadcasts", 1...10_000, at: \.relay.limit, "Publish URLs that are fed at once"),
    .count("jobs-per-room", 1...1000, at: \.relay.jobsPerRoom, "Jobs of one room at once"),
    .time(
      "job-status-interval", 1...3600, .seconds, at: \.relay.statusInterval, "Seconds between two jobStatus events of a job"),
    Setting(
      "mix-cores", .decimal, "cores", usual: .words("85 % of the machine"),
      "Cores that mixes may take, 0.05 to 1024; a merge job that would not fit is refused."),
    .count("mix-threads", 1...256, at: \.relay.mixThreads, usual: "one for each core", "Threads that mixes share"),
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
}
