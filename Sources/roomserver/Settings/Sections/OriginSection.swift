/// The live origin: its RTMP port, its limits, and the permissions to publish and play.
enum OriginSection: SettingSection {
  static let title = "Live origin"
  static let settings: [Setting] = [
    .flag("rtmp", at: \.server.origin.listens, "Accept and play live streams over RTMP"),
    .port("rtmp-port", at: \.server.origin.port, "The TCP port of RTMP; 0 selects a free one"),
    .text(
      "rtmp-bind", "address", at: \.server.origin.host, default: "the address of --bind",
      "The numeric address that RTMP listens on"),
    .flag("srt", at: \.server.origin.srt.listens, "Accept live streams and streams into rooms over SRT, at --rtmp-bind"),
    .port("srt-port", at: \.server.origin.srt.port, "The UDP port of SRT; 0 selects a free one"),
    .text(
      "srt-passphrase", "text", at: \.srtPassphrase, privacy: .secret,
      "The secret of SRT's encryption, 10 to 79 bytes. With it, encoders without it are refused"),
    .count(
      "srt-latency", 20...10_000, at: \.server.origin.srt.latency, unit: "milliseconds",
      "Milliseconds for which SRT waits for a missing packet"),
    .count("srt-connections", 1...10_000, at: \.server.origin.srt.connections, "SRT connections"),
    .count(
      "srt-bitrate", 100_000...1_000_000_000, at: \.server.origin.srt.bitrate, unit: "bits per second",
      "Bits per second above which a stream over SRT is ended"),
    .count(
      "rtmp-per-address", 0...1_000_000, at: \.server.origin.connectionsPerAddress,
      "RTMP and SRT connections from one address, together; 0 for no limit. Trusted proxies have no limit"),
    .count("rtmp-connections", 1...1_000_000, at: \.server.origin.connections, "RTMP connections"),
    .count(
      "rtmp-silent", 1...1_000_000, at: \.server.origin.silentConnections,
      "RTMP connections that have sent no request yet; above the limit, the oldest is closed for a new one"),
    .time(
      "rtmp-step-time", 1...600, .seconds, at: \.server.origin.timeouts.step, in: .microseconds,
      "Seconds that each step of an RTMP client up to its connect command may take"),
    .time(
      "rtmp-idle-time", 1...3600, .seconds, at: \.server.origin.timeouts.idle, in: .microseconds,
      "Seconds for which an RTMP client may be connected without publishing or playing"),
    .time(
      "rtmp-silence-time", 1...3600, .seconds, at: \.server.origin.timeouts.silence, in: .microseconds,
      "Seconds without a byte after which an RTMP client is pinged"),
    .time(
      "rtmp-ping-time", 1...600, .seconds, at: \.server.origin.timeouts.pingAnswer, in: .microseconds,
      "Seconds that an RTMP client has to answer a ping"),
    .count(
      "rtmp-threads", 1...256, at: \.server.origin.threads, default: "one per two cores", "Threads that serve RTMP and HTTP-FLV"
    ),
    .count(
      "ingest-threads", 1...256, at: \.server.ingestThreads, default: "one per two cores",
      "Threads that convert the streams that encoders publish to rooms"),
    .bytes("rtmp-queue-bytes", 4096...67_108_864, at: \.server.origin.waitingBytes, "Unsent bytes of one RTMP viewer"),
    .count("streams", 1...1_000_000, at: \.server.origin.streams, "Live streams at once"),
    .count("viewers", 1...10_000_000, at: \.server.origin.viewers, "Viewers of all live streams at once"),
    .count("stream-viewers", 1...10_000_000, at: \.server.origin.stream.viewers, "Viewers of one live stream at once"),
    .bytes(
      "stream-bytes", 1_048_576...1_073_741_824, at: \.server.origin.stream.bytes, "Bytes of messages that a live stream keeps"),
    .bytes(
      "stream-message-bytes", 65_536...67_108_864, at: \.server.origin.stream.messageLength,
      "Bytes of one message of a live stream"),
    .time(
      "stream-linger", 0...3600, .seconds, at: \.server.origin.linger,
      "Seconds for which a live stream and its viewers wait for its publisher to reconnect"),
    .time(
      "viewer-lag", 100...60_000, .milliseconds, at: \.server.origin.stream.lag, in: .milliseconds,
      "Milliseconds by which a viewer may be late before it loses video"),
    .list(
      "origin-name", "host", at: \.server.origin.names,
      "A host name of this server: jobs that publish to it need no socket"),
    .text(
      "publish-key", "key", at: \.publishKey, privacy: .secret,
      "The key of signed publish URLs (wsSecret, wsTime). Without it, publishing requires a token"),
    .count(
      "publish-validity", 0...4_294_967_295, at: \.publishRule.validity, unit: "seconds", requires: "publish-key",
      "Seconds for which a signed publish URL is valid"),
    .text("play-key", "key", at: \.playKey, privacy: .secret, "The key of signed play URLs. Without it, any client may play"),
    .count(
      "play-validity", 0...4_294_967_295, at: \.playRule.validity, unit: "seconds", requires: "play-key",
      "Seconds for which a signed play URL is valid"),
    .flag("open-publish", at: \.server.origin.publishesOpenly, "Let any client publish, without a token or a signature"),
    .time(
      "gather", 0...1000, .milliseconds, at: \.server.origin.gather,
      "Milliseconds for which messages to RTMP and HTTP-FLV viewers are gathered into one write"),
  ]
}
