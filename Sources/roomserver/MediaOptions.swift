import ArgumentParser
import RoomServer

/// Limits of the media workers.
struct MediaOptions: ParsableArguments {
  @Option(help: .setting("worker-transports")) var workerTransports: Int?
  @Option(help: .setting("worker-tracks")) var workerTracks: Int?
  @Option(help: .setting("worker-injections")) var workerInjections: Int?
  @Option(help: .setting("worker-subscriptions")) var workerSubscriptions: Int?
  @Option(help: .setting("transport-tracks")) var transportTracks: Int?
  @Option(help: .setting("transport-ssrcs")) var transportSsrcs: Int?
  @Option(help: .setting("track-subscriptions")) var trackSubscriptions: Int?
  @Option(help: .setting("key-frame-interval")) var keyFrameInterval: Int?
  @Option(help: .setting("publisher-bitrate")) var publisherBitrate: Int?
  @Option(help: .setting("media-tcp-connections")) var mediaTcpConnections: Int?
  @Option(help: .setting("media-tcp-unproven")) var mediaTcpUnproven: Int?
  @Option(help: .setting("media-tcp-proof-time")) var mediaTcpProofTime: Int?
  @Option(help: .setting("media-tcp-idle-time")) var mediaTcpIdleTime: Int?
  @Option(help: .setting("media-tcp-queue-bytes")) var mediaTcpQueueBytes: Int?

  /// Applies the limits of the media workers to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    try applyNumbers(to: &configuration, settings)
  }
}
