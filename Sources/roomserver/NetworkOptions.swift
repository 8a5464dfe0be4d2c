import ArgumentParser
import RoomServer

/// Where the server listens and what clients are told of it, from flags or the environment.
struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The numeric address to listen on, for HTTP and media: 0.0.0.0 is all of IPv4, :: all of both families. "
        + "Default 127.0.0.1.", valueName: "address"))
  var bind: String?

  @Option(help: ArgumentHelp("The TCP port of HTTP and signalling; 0 takes a free one. Default 8080.", valueName: "port"))
  var port: UInt16?

  @Option(
    help: ArgumentHelp(
      "A numeric address for media, where it is not that of --bind. May be repeated, for both families.", valueName: "address"))
  var mediaBind: [String] = []

  @Option(
    help: ArgumentHelp(
      "The UDP and TCP port of the first media worker, the others' follow; 0 takes free ones. Default 8100, with --dev 0.",
      valueName: "port"))
  var mediaPort: UInt16?

  @Flag(inversion: .prefixedNo, help: "Take media over TCP too, for clients that UDP does not reach. Default: on.")
  var mediaTcp: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Hand several packets to the kernel as one message that it cuts (UDP GSO): a fraction of the CPU. Default: on.")
  var segmentation: Bool?

  @Option(
    help: ArgumentHelp(
      "A numeric address that clients reach the media ports at, of a NAT in front. Default: the bound ones. May be repeated.",
      valueName: "address"))
  var announce: [String] = []

  @Flag(
    inversion: .prefixedNo,
    help:
      "Tell clients of the bound addresses too, after those of --announce, for clients on this side of the NAT. Default: off.")
  var announceBound: Bool?

  /// The address of HTTP, and without `mediaBind` of media.
  func host(_ environment: ServeEnvironment) -> String { bind ?? environment.text("BIND") ?? "127.0.0.1" }

  /// Fills in the network's part of a configuration.
  /// - Parameter development: whether ports may be any that are free.
  func apply(to configuration: inout ServerConfiguration, _ environment: ServeEnvironment, development: Bool) throws {
    func list(_ flags: [String], _ name: String) -> [String] { flags.isEmpty ? environment.list(name) : flags }
    let host = host(environment)
    configuration.host = host
    configuration.port = try port ?? environment.number("PORT") ?? 8080
    let mediaHosts = list(mediaBind, "MEDIA_BIND")
    configuration.media.bind = mediaHosts.isEmpty ? [host] : mediaHosts
    configuration.media.port = try mediaPort ?? environment.number("MEDIA_PORT") ?? (development ? 0 : 8100)
    configuration.media.tcp = try mediaTcp ?? environment.flag("MEDIA_TCP") ?? true
    configuration.media.segmentation = try segmentation ?? environment.flag("SEGMENTATION") ?? true
    configuration.media.announced = list(announce, "ANNOUNCE")
    configuration.media.announcesBound = try announceBound ?? environment.flag("ANNOUNCE_BOUND") ?? false
  }
}
