/// Limits of the media workers.
enum MediaSection: SettingSection {
  static let title = "Media workers"
  static let settings: [Setting] = [
    .count("worker-transports", 2...1_000_000, at: \.server.media.limits.transportsPerWorker, "Transports of one media worker"),
    .count(
      "room-transports-per-worker", 1...1_000_000, at: \.server.media.limits.roomTransportsPerWorker,
      "Transports of one room after which it uses another media worker, and again after each further number; it does so earlier if its worker is busy"
    ),
    .count("worker-tracks", 2...1_000_000, at: \.server.media.limits.tracksPerWorker, "Published tracks of one media worker"),
    .count(
      "worker-injections", 0...1_000_000, at: \.server.media.limits.injectionsPerWorker,
      "Of these, tracks that the server makes itself: mixes and RTMP ingest"),
    .count(
      "worker-subscriptions", 2...10_000_000, at: \.server.media.limits.subscriptionsPerWorker,
      "Subscriptions of one media worker"),
    .count(
      "transport-tracks", 1...4096, at: \.server.media.limits.tracksPerTransport,
      "Tracks that one transport may publish, and the same number that it may receive"),
    .count(
      "transport-ssrcs", 0...65_536, at: \.server.media.limits.learnedSSRCsPerTransport,
      "SSRCs that one transport may use in addition to those it signalled"),
    .count("track-subscriptions", 1...1_000_000, at: \.server.media.limits.subscriptionsPerTrack, "Subscriptions to one track"),
    .time(
      "key-frame-interval", 50...60_000, .milliseconds, at: \.server.media.limits.keyFrameInterval, in: .microseconds,
      "Milliseconds between two key frame requests for one stream"),
    .count(
      "publisher-bitrate", 100_000...1_000_000_000, at: \.server.media.limits.bitratePerPublisher, unit: "bit/s",
      "Bits per second that a publisher without transport-wide feedback may send (REMB)"),
    .count(
      "media-tcp-connections", 0...1_000_000, at: \.server.media.limits.tcpConnectionsPerWorker,
      "TCP connections of one media worker"),
    .count(
      "media-tcp-unproven", 1...1_000_000, at: \.server.media.limits.tcpUnprovenPerAddress,
      "Of these, connections from one address that have sent no valid connectivity check yet"),
    .time(
      "media-tcp-proof-time", 1...600, .seconds, at: \.server.media.limits.tcpProofTime, in: .microseconds,
      "Seconds that a TCP connection has to send a valid connectivity check"),
    .time(
      "media-tcp-idle-time", 5...3600, .seconds, at: \.server.media.limits.tcpIdleTime, in: .microseconds,
      "Seconds without a byte after which a client's TCP connection is closed"),
    .bytes(
      "media-tcp-queue-bytes", 65_536...67_108_864, at: \.server.media.limits.tcpQueueBytes,
      "Unsent bytes of one TCP connection"),
  ]
}
