import ArgumentParser
import RoomRelay
import RoomProtocol
import RoomServer

/// How jobs send programs to other servers, and mix and record them.
struct RelayOptions: ParsableArguments {
  @Option(help: .setting("relay-target")) var relayTarget: [String] = []
  @Option(help: .setting("relay-queue")) var relayQueue: Int?
  @Option(help: .setting("relay-connect-time")) var relayConnectTime: Int?
  @Option(help: .setting("relay-patience")) var relayPatience: Int?
  @Option(help: .setting("relay-threads")) var relayThreads: Int?
  @Option(help: .setting("broadcasts")) var broadcasts: Int?
  @Option(help: .setting("jobs-per-room")) var jobsPerRoom: Int?
  @Option(help: .setting("job-status-interval")) var jobStatusInterval: Int?
  @Option(help: .setting("transcode-kbps")) var transcodeKbps: Int?
  @Option(help: .setting("transcode-least-kbps")) var transcodeLeastKbps: Int?
  @Option(help: .setting("transcode-fps")) var transcodeFps: Int?
  @Option(help: .setting("relay-tries")) var relayTries: Int?
  @Option(help: .setting("relay-audio-rate")) var relayAudioRate: Int?
  @Option(help: .setting("relay-audio-kbps")) var relayAudioKbps: Int?
  @Option(help: .setting("push-policy")) var pushPolicy: String?
  @Option(help: .setting("push-url")) var pushUrl: String?
  @Option(help: .setting("mix-cores")) var mixCores: Double?
  @Option(help: .setting("mix-threads")) var mixThreads: Int?
  @Option(help: .setting("mix-font")) var mixFont: String?
  @Option(help: .setting("relay-certificates")) var relayCertificates: String?
  @Option(help: .setting("recordings")) var recordings: String?
  @Option(help: .setting("recording-limit")) var recordingLimit: Int?

  /// Applies the relay's options to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    try applyNumbers(to: &configuration, settings)
    var relay = configuration.relay
    let targets = settings.list("relay-target", relayTarget)
    if !targets.isEmpty {
      do { relay.broadcasts.targets = try RelayTargets(parsing: targets) } catch {
        throw ValidationError("--relay-target: \(error)")
      }
    }
    if let tries = try settings.number("relay-tries", relayTries, in: 1...1_000_000) {
      relay.broadcasts.push.retries = PushRetries(attempts: tries)
    }
    if let kbps = try settings.number("transcode-kbps", transcodeKbps, in: 50...20_000) {
      relay.broadcasts.forward.transcodeBitrate = kbps * 1000
    }
    if let kbps = try settings.number("transcode-least-kbps", transcodeLeastKbps, in: 10...20_000) {
      relay.broadcasts.forward.transcodeLeastBitrate = kbps * 1000
    }
    if let rate = try settings.number("relay-audio-rate", relayAudioRate) {
      guard rate == 44_100 || rate == 48_000 else { throw ValidationError("--relay-audio-rate must be 44100 or 48000") }
      relay.broadcasts.broadcast.audio.format.sampleRate = rate
    }
    if let kbps = try settings.number("relay-audio-kbps", relayAudioKbps, in: 32...320) {
      relay.broadcasts.broadcast.audio.bitrate = kbps * 1000
    }
    if let cores = try settings.decimal("mix-cores", mixCores) {
      guard (0.05...1024).contains(cores) else { throw ValidationError("--mix-cores must be 0.05 to 1024") }
      relay.mixCores = cores
    }
    relay.font = settings.text("mix-font", mixFont)
    relay.broadcasts.trustedCertificates = settings.text("relay-certificates", relayCertificates)
    let gibibytes = try settings.number("recording-limit", recordingLimit, in: 1...65_536)
    if let directory = settings.text("recordings", recordings) {
      relay.recordings = Recordings.Settings(directory: directory)
      if let gibibytes { relay.recordings?.limit = Int64(gibibytes) << 30 }
    } else if gibibytes != nil {
      throw ValidationError("--recording-limit requires --recordings")
    }
    let policy = settings.text("push-policy", pushPolicy, default: "own")
    guard let mode = PushPolicy.Mode(rawValue: policy) else {
      throw ValidationError("--push-policy must be own, manual or auto, not \(policy)")
    }
    relay.policy = PushPolicy(mode, publishUrl: settings.text("push-url", pushUrl))
    if let validationError = relay.policy.validationError { throw ValidationError("--push-policy: \(validationError)") }
    configuration.relay = relay
  }
}
