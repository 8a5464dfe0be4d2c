import ArgumentParser
import RoomHTTPServer
import RoomServer

/// The addresses that the server listens on, and those that clients receive.
struct NetworkOptions: ParsableArguments {
  @Option(help: .setting("bind")) var bind: String?
  @Option(help: .setting("port")) var port: UInt16?
  @Option(help: .setting("media-bind")) var mediaBind: [String] = []
  @Option(help: .setting("media-port")) var mediaPort: UInt16?
  @Flag(inversion: .prefixedNo, help: .setting("media-tcp")) var mediaTcp: Bool?
  @Flag(inversion: .prefixedNo, help: .setting("segmentation")) var segmentation: Bool?
  @Option(help: .setting("announce")) var announce: [String] = []
  @Flag(inversion: .prefixedNo, help: .setting("announce-bound")) var announceBound: Bool?
  @Option(help: .setting("workers")) var workers: Int?
  @Option(help: .setting("trusted-proxy")) var trustedProxy: [String] = []
  @Option(help: .setting("joins-per-second")) var joinsPerSecond: Int?
  @Option(help: .setting("join-burst")) var joinBurst: Int?
  @Option(help: .setting("http-per-address")) var httpPerAddress: Int?
  @Option(help: .setting("http-connections")) var httpConnections: Int?
  @Option(help: .setting("http-threads")) var httpThreads: Int?
  @Option(help: .setting("http-body-bytes")) var httpBodyBytes: Int?
  @Option(help: .setting("http-head-time")) var httpHeadTime: Int?
  @Option(help: .setting("http-idle-time")) var httpIdleTime: Int?

  /// Applies the network options to a configuration.
  /// - Parameter development: whether any free port may be used.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings, development: Bool) throws {
    let host = settings.text("bind", bind, default: "127.0.0.1")
    configuration.host = host
    configuration.port = try settings.number("port", port, default: 8080)
    let mediaHosts = settings.list("media-bind", mediaBind)
    configuration.media.bind = mediaHosts.isEmpty ? [host] : mediaHosts
    configuration.media.port = try settings.number("media-port", mediaPort, default: development ? 0 : 8100)
    configuration.media.tcp = try settings.flag("media-tcp", mediaTcp, default: true)
    configuration.media.segmentation = try settings.flag("segmentation", segmentation, default: true)
    configuration.media.announced = settings.list("announce", announce)
    configuration.media.announcesBound = try settings.flag("announce-bound", announceBound, default: false)
    configuration.media.workers = try settings.number("workers", workers, in: 1...256)
    do { configuration.trustedProxies = try TrustedProxies(parsing: settings.list("trusted-proxy", trustedProxy)) } catch {
      throw ValidationError("--trusted-proxy: \(error)")
    }
    if let joins = try settings.number("joins-per-second", joinsPerSecond, in: 1...100_000) {
      configuration.limits.joinsPerSecond = Double(joins)
      configuration.limits.joinBurst = 5 * joins
    }
    if let burst = try settings.number("join-burst", joinBurst, in: 1...1_000_000) { configuration.limits.joinBurst = burst }
    try applyNumbers(to: &configuration, settings)
  }
}
