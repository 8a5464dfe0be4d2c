import RoomHTTPServer

/// The addresses that the server listens on, those that clients receive, and the limits of HTTP.
enum NetworkSection: SettingSection {
  static let title = "Network"
  static let settings: [Setting] = [
    .text(
      "bind", "address", at: \.server.host,
      """
      The numeric address to listen on, for HTTP and media: 0.0.0.0 for all IPv4 addresses, :: for all addresses of both \
      families
      """),
    .port("port", at: \.server.port, "The TCP port of HTTP and signalling; 0 selects a free one"),
    .list(
      "media-bind", "address", at: \.mediaBind, default: "the address of --bind; with --dev also those of all interfaces",
      "A numeric address that media workers listen on, such as one of each family"),
    .port(
      "media-port", at: \.server.media.port,
      "The UDP and TCP port of the first media worker; the next ports are for the other workers. 0 selects free ones"),
    .flag("media-tcp", at: \.server.media.tcp, "Accept media over TCP too, for clients whose network blocks UDP"),
    .flag(
      "segmentation", at: \.server.media.segmentation,
      "Pass several packets to the kernel as one message that it splits (UDP GSO), which uses a fraction of the CPU"),
    .list(
      "announce", "address", at: \.server.media.announced, default: "the bound addresses",
      "A numeric address at which clients reach the media ports, such as a NAT's"),
    .flag(
      "announce-bound", at: \.server.media.announcesBound,
      "Announce the bound addresses too, after those of --announce, for clients on this side of the NAT"),
    .count(
      "workers", 1...63, at: \.server.media.workers, default: "one per core",
      "Media workers: threads with one port each"),
    .text(
      "public-url", "url", at: \.server.publicURL, default: "the announced or bound address, and the port",
      "The URL at which clients reach HTTP, such as a proxy's: https://live.example.org. Play URLs begin with it"),
    .text(
      "public-rtmp-url", "url", at: \.server.publicRTMPURL, default: "the host of --public-url, and the RTMP port",
      "The URL at which clients reach RTMP: rtmp://live.example.org"),
    .list(
      "trusted-proxy", "network", store: { $0.server.trustedProxies = try TrustedProxies(parsing: $1) },
      """
      The address of a proxy in front of this server, or its network, such as 10.0.0.0/8: the server reads client addresses \
      from its X-Forwarded-For header
      """),
    .rate(
      "joins-per-second", 1...100_000, at: \.server.limits.joinsPerSecond,
      "Joins that one address may make per second, after a burst of five seconds' worth"),
    .count(
      "join-burst", 1...1_000_000, at: \.joinBurst, default: "five seconds' worth",
      "Joins that one address may make at once"),
    .count(
      "http-per-address", 0...1_000_000, at: \.server.limits.connectionsPerAddress,
      """
      HTTP connections from one address, including signalling sockets; 0 for no limit. Trusted proxies have no limit, and each \
      client behind them may have this many signalling sockets
      """),
    .count(
      "http-connections", 10...1_000_000, at: \.server.limits.connections, "HTTP connections, including signalling sockets"),
    .count("http-threads", 1...256, at: \.server.httpThreads, "Threads that serve HTTP"),
    .bytes(
      "http-body-bytes", 1024...16_777_216, at: \.server.limits.bodyBytes, "Bytes of an HTTP request's body, except images"),
    .time(
      "http-head-time", 1...600, .seconds, at: \.server.limits.requestTime,
      "Seconds that the head of an HTTP request may take; a body has an additional second for each 16 KiB"),
    .time(
      "http-idle-time", 1...3600, .seconds, at: \.server.limits.idleTime,
      "Seconds without a byte after which an HTTP connection is closed; silence-time applies to signalling sockets"),
  ]
}
