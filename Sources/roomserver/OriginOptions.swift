import ArgumentParser
import LiveOrigin
import RoomServer

/// The live origin: its RTMP port, and who may publish and play; from flags or the environment.
struct OriginOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Take and play live streams by RTMP. Default: on.")
  var rtmp: Bool?

  @Option(
    help: ArgumentHelp("The TCP port of RTMP; 0 takes a free one. Default 1935, with --dev 0.", valueName: "port"))
  var rtmpPort: UInt16?

  @Option(
    help: ArgumentHelp("A numeric address for RTMP, where it is not that of --bind.", valueName: "address"))
  var rtmpBind: String?

  @Option(
    help: ArgumentHelp(
      "A name that this server is reached by: jobs that publish to it need no socket. May be repeated.", valueName: "host"))
  var originName: [String] = []

  @Option(
    help: ArgumentHelp(
      "The key of signed publish URLs (wsSecret, wsTime). Without it publishing needs a token. Else ROOMSERVER_PUBLISH_KEY, "
        + "which others can't see.", valueName: "key"))
  var publishKey: String?

  @Option(help: ArgumentHelp("Seconds for which a signed publish URL is good. Default 86400.", valueName: "seconds"))
  var publishValidity: UInt32?

  @Option(
    help: ArgumentHelp(
      "The key of signed play URLs. Without it anybody may play. Else ROOMSERVER_PLAY_KEY, which others can't see.",
      valueName: "key"))
  var playKey: String?

  @Option(help: ArgumentHelp("Seconds for which a signed play URL is good. Default 86400.", valueName: "seconds"))
  var playValidity: UInt32?

  @Flag(inversion: .prefixedNo, help: "Let anybody publish, with neither token nor signature. Default: off.")
  var openPublish: Bool?

  @Option(
    help: ArgumentHelp(
      "Milliseconds for which messages to RTMP and HTTP-FLV viewers are gathered into one write, 0 to 1000. Default 100.",
      valueName: "ms"))
  var gather: Int?

  /// Fills in the origin's part of a configuration.
  /// - Parameter development: whether ports may be any that are free.
  func apply(to configuration: inout ServerConfiguration, _ environment: ServeEnvironment, development: Bool) throws {
    var origin = OriginSettings()
    origin.listens = try rtmp ?? environment.flag("RTMP") ?? true
    origin.port = try rtmpPort ?? environment.number("RTMP_PORT") ?? (development ? 0 : 1935)
    origin.host = rtmpBind ?? environment.text("RTMP_BIND")
    origin.names = originName.isEmpty ? environment.list("ORIGIN_NAME") : originName
    origin.publishesOpenly = try openPublish ?? environment.flag("OPEN_PUBLISH") ?? false
    origin.protection.publish = try rule(
      publishKey ?? environment.text("PUBLISH_KEY"), publishValidity ?? environment.number("PUBLISH_VALIDITY"), "publish")
    origin.protection.play = try rule(
      playKey ?? environment.text("PLAY_KEY"), playValidity ?? environment.number("PLAY_VALIDITY"), "play")
    if let gather = try gather ?? environment.number("GATHER") {
      guard (0...1000).contains(gather) else { throw ValidationError("--gather is 0 to 1000") }
      origin.gather = .milliseconds(gather)
    }
    configuration.origin = origin
  }

  private func rule(_ key: String?, _ validity: UInt32?, _ what: String) throws -> HotlinkProtection.Rule? {
    guard let key else {
      guard validity == nil else { throw ValidationError("--\(what)-validity needs --\(what)-key") }
      return nil
    }
    guard !key.isEmpty else { throw ValidationError("--\(what)-key is empty: anybody could sign with it") }
    return HotlinkProtection.Rule(key: key, validity: Int64(validity ?? 86_400))
  }
}
