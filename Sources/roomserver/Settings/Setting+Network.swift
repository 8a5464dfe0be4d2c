// Settings of the network: HTTP, TLS, media workers, STUN and TURN.

extension Setting {
  static let network: [Setting] = [
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
    .time(
      "http-idle-time", 1...3600, .seconds, at: \.limits.idleTime,
      "Seconds without a byte after which an HTTP connection is closed; signalling sockets have silence-time"),
  ]

  static let media: [Setting] = [
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

  static let tls: [Setting] = [
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

  static let iceServers: [Setting] = [
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
}
