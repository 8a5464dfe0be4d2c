// Settings of the network: HTTP, TLS, media workers, STUN and TURN.

extension Setting {
  static let network: [Setting] = [
    Setting(
      "bind", .text, "address", defaultValue: "127.0.0.1",
      """
      The numeric address to listen on, for HTTP and media: 0.0.0.0 for all IPv4 addresses, :: for all addresses of both \
      families.
      """),
    Setting("port", .number, "port", defaultValue: "8080", "The TCP port of HTTP and signalling; 0 selects a free one."),
    Setting(
      "media-bind", .list, "address", defaultValue: .description("the address of --bind"),
      "A numeric address that media workers listen on. May be repeated, for both families."),
    Setting(
      "media-port", .number, "port", defaultValue: "8100", dev: "0",
      "The UDP and TCP port of the first media worker; the next ports are for the other workers. 0 selects free ones."),
    Setting("media-tcp", .flag, defaultValue: "true", "Accept media over TCP too, for clients whose network blocks UDP."),
    Setting(
      "segmentation", .flag, defaultValue: "true",
      "Pass several packets to the kernel as one message that it splits (UDP GSO), which uses a fraction of the CPU."),
    Setting(
      "announce", .list, "address", defaultValue: .description("the bound addresses"),
      "A numeric address at which clients reach the media ports, such as a NAT's. May be repeated."),
    Setting(
      "announce-bound", .flag, defaultValue: "false",
      "Announce the bound addresses too, after those of --announce, for clients on this side of the NAT."),
    Setting(
      "workers", .number, "count", defaultValue: .description("one per core"),
      "Media workers, 1 to 256: threads with one port each."),
    Setting(
      "trusted-proxy", .list, "network", defaultValue: .description("none"),
      """
      The address of a proxy in front of this server, or its network, such as 10.0.0.0/8: the server reads client addresses \
      from its X-Forwarded-For header. May be repeated.
      """),
    Setting(
      "joins-per-second", .number, "count", defaultValue: "20",
      "Joins that one address may make per second, after a burst of five seconds' worth, 1 to 100000."),
    Setting(
      "join-burst", .number, "count", defaultValue: .description("five seconds' worth"),
      "Joins that one address may make at once, 1 to 1000000."),
    .count(
      "http-per-address", 0...1_000_000, at: \.limits.connectionsPerAddress,
      """
      HTTP connections from one address, including signalling sockets; 0 for no limit. Trusted proxies have no limit, and each \
      client behind them may have this many signalling sockets
      """),
    .count("http-connections", 10...1_000_000, at: \.limits.connections, "HTTP connections, including signalling sockets"),
    .count("http-threads", 1...256, at: \.httpThreads, "Threads that serve HTTP"),
    .bytes("http-body-bytes", 1024...16_777_216, at: \.limits.bodyBytes, "Bytes of an HTTP request's body, except images"),
    .time(
      "http-head-time", 1...600, .seconds, at: \.limits.requestTime,
      "Seconds that the head of an HTTP request may take; a body has an additional second for each 16 KiB"),
    .time(
      "http-idle-time", 1...3600, .seconds, at: \.limits.idleTime,
      "Seconds without a byte after which an HTTP connection is closed; silence-time applies to signalling sockets"),
  ]

  static let media: [Setting] = [
    .count("worker-transports", 2...1_000_000, at: \.media.limits.transportsPerWorker, "Transports of one media worker"),
    .count("worker-tracks", 2...1_000_000, at: \.media.limits.tracksPerWorker, "Published tracks of one media worker"),
    .count(
      "worker-injections", 0...1_000_000, at: \.media.limits.injectionsPerWorker,
      "Of these, tracks that the server makes itself: mixes and RTMP ingest"),
    .count(
      "worker-subscriptions", 2...10_000_000, at: \.media.limits.subscriptionsPerWorker, "Subscriptions of one media worker"),
    .count(
      "transport-tracks", 1...4096, at: \.media.limits.tracksPerTransport,
      "Tracks that one transport may publish, and the same number that it may receive"),
    .count(
      "transport-ssrcs", 0...65_536, at: \.media.limits.learnedSSRCsPerTransport,
      "SSRCs that one transport may use in addition to those it signalled"),
    .count("track-subscriptions", 1...1_000_000, at: \.media.limits.subscriptionsPerTrack, "Subscriptions to one track"),
    .time(
      "key-frame-interval", 50...60_000, .milliseconds, at: \.media.limits.keyFrameInterval, in: .microseconds,
      "Milliseconds between two key frame requests for one stream"),
    .count(
      "publisher-bitrate", 100_000...1_000_000_000, at: \.media.limits.bitratePerPublisher, unit: "bit/s",
      "Bits per second that a publisher without transport-wide feedback may send (REMB)"),
    .count(
      "media-tcp-connections", 0...1_000_000, at: \.media.limits.tcpConnectionsPerWorker, "TCP connections of one media worker"),
    .count(
      "media-tcp-unproven", 1...1_000_000, at: \.media.limits.tcpUnprovenPerAddress,
      "Of these, connections from one address that have sent no valid connectivity check yet"),
    .time(
      "media-tcp-proof-time", 1...600, .seconds, at: \.media.limits.tcpProofTime, in: .microseconds,
      "Seconds that a TCP connection has to send a valid connectivity check"),
    .time(
      "media-tcp-idle-time", 5...3600, .seconds, at: \.media.limits.tcpIdleTime, in: .microseconds,
      "Seconds without a byte after which a client's TCP connection is closed"),
    .bytes(
      "media-tcp-queue-bytes", 65_536...67_108_864, at: \.media.limits.tcpQueueBytes, "Unsent bytes of one TCP connection"),
  ]

  static let tls: [Setting] = [
    Setting(
      "certificate", .text, "file", defaultValue: .description("none, no TLS"),
      """
      A PEM file of the server's certificate, followed by its intermediate certificates. Enables HTTPS, wss:// and RTMPS. A \
      renewed file is loaded within a minute, without a restart.
      """),
    Setting(
      "certificate-key", .text, "file", defaultValue: .description("none"),
      "A PEM file of the certificate's key, without a passphrase."),
    Setting("https-port", .number, "port", defaultValue: "8443", "The TCP port of HTTPS and wss://; requires a certificate."),
    Setting("rtmps-port", .number, "port", defaultValue: "1936", "The TCP port of RTMPS; requires a certificate."),
    Setting(
      "hsts", .number, "seconds", defaultValue: "0",
      """
      Seconds for which browsers that used HTTPS once must use it for every port of the host (HSTS); 0 sends no such header. A \
      year is 31536000.
      """),
  ]

  static let iceServers: [Setting] = [
    Setting(
      "ice-server", .list, "url", defaultValue: .description("none"),
      "A STUN or TURN server for clients: stun:host:port, turn:host:port?transport=udp, turns:host:port. May be repeated."),
    Setting(
      "turn-secret", .text, "secret", defaultValue: .description("none"), isSecret: true,
      "The secret of the TURN servers (coturn: static-auth-secret): each client gets its own credentials, which expire."),
    Setting(
      "turn-lifetime", .number, "seconds", defaultValue: "86400",
      "Seconds for which credentials made from the secret are valid."),
    Setting(
      "turn-username", .text, "name", defaultValue: .description("none"),
      "The user name for TURN servers without a shared secret."),
    Setting(
      "turn-credential", .text, "password", defaultValue: .description("none"), isSecret: true,
      "The password for --turn-username."),
  ]
}
