import RoomRelay

/// How jobs send programs to other servers, and mix and record them.
enum JobsSection: SettingSection {
  static let title = "Jobs"
  static let settings: [Setting] = [
    .list(
      "relay-target", "target", default: "public",
      store: { $0.server.relay.broadcasts.targets = try RelayTargets(parsing: $1) },
      """
      A target that jobs may push to: "public" (any public address), a host, "*.example.com", or a network such as 10.0.0.0/8
      """),
    .count(
      "relay-queue", 100...30_000, at: \.server.relay.broadcasts.push.queueLimit, unit: "ms",
      "Milliseconds of media that are queued for a slow server before pictures are dropped"),
    .time(
      "relay-connect-time", 1...120, .seconds, at: \.server.relay.broadcasts.push.connectTime, in: .microseconds,
      "Seconds that name lookup, TCP and TLS may take when a job connects to a server"),
    .count(
      "relay-tries", 1...1_000_000, at: \.server.relay.broadcasts.push.retries.attempts, default: "no limit",
      "Consecutive attempts to reach a server before a job fails"),
    .time(
      "relay-patience", 1...86_400, .seconds, at: \.server.relay.broadcasts.patience, in: .microseconds,
      "Seconds for which a job continues with silence and the last picture after its tracks ended"),
    .count(
      "transcode-kbps", 50...20_000, at: \.server.relay.broadcasts.forward.transcodeBitrate, times: 1000, unit: "kbit/s",
      default: "by size and rate: 1500 for 720x1280 at 24 fps",
      "kbit/s of forwarded video that is transcoded because its codec is VP8, VP9 or AV1"),
    .count(
      "transcode-least-kbps", 10...20_000, at: \.server.relay.broadcasts.forward.transcodeLeastBitrate, times: 1000,
      unit: "kbit/s", default: "a third of --transcode-kbps",
      "The minimum kbit/s of transcoded video on a weak uplink, before its frame rate is reduced to 10"),
    .count(
      "transcode-fps", 10...60, at: \.server.relay.broadcasts.forward.transcodeFPS, unit: "fps",
      "The maximum frame rate of transcoded video; further frames are left out"),
    .choice(
      "relay-audio-rate", of: [44_100, 48_000], unit: "Hz", at: \.server.relay.broadcasts.broadcast.audio.format.sampleRate,
      "The sample rate in Hz of the audio that jobs send, 44100 or 48000"),
    .count(
      "relay-audio-kbps", 32...320, at: \.server.relay.broadcasts.broadcast.audio.bitrate, times: 1000, unit: "kbit/s",
      "kbit/s of the audio that jobs send"),
    .choice(
      "push-policy", at: \.server.relay.policy.mode,
      """
      own: each job names its URL. manual: jobs publish to the room's own URL, --push-url. auto: the server starts them as \
      soon as a participant publishes. The API can set another policy for a room
      """),
    .text(
      "push-url", "url", at: \.server.relay.policy.publishUrl, privacy: .hidesQuery,
      "The URL for manual and auto, containing {room} or {user}: rtmp://cdn.example/live/{room}"),
    .count("relay-threads", 1...256, at: \.server.relay.threads, default: "one per core", "Threads that jobs share"),
    .count("broadcasts", 1...10_000, at: \.server.relay.limit, "Concurrent broadcasts, one for each publish URL"),
    .count("jobs-per-room", 1...1000, at: \.server.relay.jobsPerRoom, "Concurrent jobs of one room"),
    .time(
      "job-status-interval", 1...3600, .seconds, at: \.server.relay.statusInterval,
      "Seconds between two jobStatus events of a job"),
    .decimal(
      "mix-cores", 0.05...1024, "cores", at: \.server.relay.mixCores, default: "85 % of the machine",
      "Cores that mixes may use; a merge job that would exceed them is refused"),
    .count("mix-threads", 1...256, at: \.server.relay.mixThreads, default: "one per core", "Threads that mixes share"),
    .text(
      "mix-font", "file", at: \.server.relay.font, default: "DejaVu Sans",
      "A font file for texts in mixes, such as one with Chinese characters"),
    .text(
      "relay-certificates", "file", at: \.server.relay.broadcasts.trustedCertificates, default: "the system's",
      "A PEM file of certificate authorities that are trusted for RTMPS servers"),
    .text(
      "recordings", "directory", at: \.recordingDirectory, default: "none, no recording",
      "A directory that jobs may record into, by publish URLs file:NAME.mp4 and file:NAME.flv"),
    .count(
      "recording-limit", 1...65_536, at: \.recording.limit, times: 1 << 30, unit: "GiB", requires: "recordings",
      "The maximum size of a recording file in GiB"),
    .count(
      "recording-max-age", 1...87_600, at: \.recordingHours, unit: "hours", default: "no limit", requires: "recordings",
      "Hours for which a recording is kept after its end; then it is deleted"),
    .count(
      "recording-max-size", 1...1_048_576, at: \.recordingGiB, unit: "GiB", default: "no limit", requires: "recordings",
      "GiB that all recordings may have together; beyond it, the oldest are deleted"),
  ]
}
