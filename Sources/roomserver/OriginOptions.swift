import ArgumentParser
import RoomLiveOrigin
import RoomOriginServer
import RoomServer

/// The live origin: its RTMP port, and the permissions to publish and play.
struct OriginOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: .setting("rtmp")) var rtmp: Bool?
  @Option(help: .setting("rtmp-port")) var rtmpPort: UInt16?
  @Option(help: .setting("rtmp-bind")) var rtmpBind: String?
  @Option(help: .setting("origin-name")) var originName: [String] = []
  @Option(help: .setting("publish-key")) var publishKey: String?
  @Option(help: .setting("publish-validity")) var publishValidity: UInt32?
  @Option(help: .setting("play-key")) var playKey: String?
  @Option(help: .setting("play-validity")) var playValidity: UInt32?
  @Flag(inversion: .prefixedNo, help: .setting("open-publish")) var openPublish: Bool?
  @Option(help: .setting("rtmp-per-address")) var rtmpPerAddress: Int?
  @Option(help: .setting("rtmp-connections")) var rtmpConnections: Int?
  @Option(help: .setting("rtmp-silent")) var rtmpSilent: Int?
  @Option(help: .setting("rtmp-step-time")) var rtmpStepTime: Int?
  @Option(help: .setting("rtmp-idle-time")) var rtmpIdleTime: Int?
  @Option(help: .setting("rtmp-silence-time")) var rtmpSilenceTime: Int?
  @Option(help: .setting("rtmp-ping-time")) var rtmpPingTime: Int?
  @Option(help: .setting("rtmp-threads")) var rtmpThreads: Int?
  @Option(help: .setting("ingest-threads")) var ingestThreads: Int?
  @Option(help: .setting("rtmp-queue-bytes")) var rtmpQueueBytes: Int?
  @Option(help: .setting("streams")) var streams: Int?
  @Option(help: .setting("viewers")) var viewers: Int?
  @Option(help: .setting("stream-viewers")) var streamViewers: Int?
  @Option(help: .setting("stream-bytes")) var streamBytes: Int?
  @Option(help: .setting("stream-message-bytes")) var streamMessageBytes: Int?
  @Option(help: .setting("stream-linger")) var streamLinger: Int?
  @Option(help: .setting("viewer-lag")) var viewerLag: Int?
  @Option(help: .setting("gather")) var gather: Int?

  /// Applies the origin's options to a configuration.
  /// - Parameter development: whether any free port may be used.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings, development: Bool) throws {
    var origin = OriginSettings()
    origin.listens = try settings.flag("rtmp", rtmp, default: true)
    origin.port = try settings.number("rtmp-port", rtmpPort, default: development ? 0 : 1935)
    origin.host = settings.text("rtmp-bind", rtmpBind)
    origin.names = settings.list("origin-name", originName)
    origin.publishesOpenly = try settings.flag("open-publish", openPublish, default: false)
    origin.protection.publish = try rule(
      settings.text("publish-key", publishKey), settings.number("publish-validity", publishValidity), "publish")
    origin.protection.play = try rule(
      settings.text("play-key", playKey), settings.number("play-validity", playValidity), "play")
    configuration.origin = origin
    try applyNumbers(to: &configuration, settings)
  }

  private func rule(_ key: String?, _ validity: UInt32?, _ what: String) throws -> HotlinkProtection.Rule? {
    guard let key else {
      guard validity == nil else { throw ValidationError("--\(what)-validity requires --\(what)-key") }
      return nil
    }
    guard !key.isEmpty else { throw ValidationError("--\(what)-key must not be empty") }
    return HotlinkProtection.Rule(key: key, validity: Int64(validity ?? 86_400))
  }
}
