import ArgumentParser
import RoomServer

/// How signalling sockets are kept alive, and what a client may send.
struct SignallingOptions: ParsableArguments {
  @Option(help: .setting("ping-interval")) var pingInterval: Int?
  @Option(help: .setting("silence-time")) var silenceTime: Int?
  @Option(help: .setting("join-time")) var joinTime: Int?
  @Option(help: .setting("signal-close-time")) var signalCloseTime: Int?
  @Option(help: .setting("signal-bytes")) var signalBytes: Int?
  @Option(help: .setting("signals-per-second")) var signalsPerSecond: Int?
  @Option(help: .setting("signal-burst")) var signalBurst: Int?
  @Option(help: .setting("changes-per-second")) var changesPerSecond: Int?
  @Option(help: .setting("change-burst")) var changeBurst: Int?
  @Option(help: .setting("signal-queue-bytes")) var signalQueueBytes: Int?
  @Option(help: .setting("signal-gather-per-socket")) var signalGatherPerSocket: Int?
  @Option(help: .setting("signal-gather-time")) var signalGatherTime: Int?
  @Option(help: .setting("presence-gather-per-socket")) var presenceGatherPerSocket: Int?
  @Option(help: .setting("presence-gather-time")) var presenceGatherTime: Int?
  @Option(help: .setting("signal-threads")) var signalThreads: Int?
  @Option(help: .setting("joins-tracked")) var joinsTracked: Int?
  @Option(help: .setting("kicked-tokens")) var kickedTokens: Int?

  /// Applies the signalling options to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    try applyNumbers(to: &configuration, settings)
    guard configuration.keepAlive.silence > configuration.keepAlive.pingInterval else {
      throw ValidationError("--silence-time must be greater than --ping-interval, or idle clients would be closed")
    }
  }
}
