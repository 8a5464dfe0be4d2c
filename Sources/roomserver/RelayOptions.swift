import ArgumentParser
import Relay
import RoomProtocol
import RoomServer

/// How jobs send programs to other servers, from flags or the environment.
struct RelayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Where jobs may push to: "public" (any public address), a host, "*.example.com", or a network such as 10.0.0.0/8. May be \
      repeated. Default public.
      """, valueName: "target"))
  var relayTarget: [String] = []

  @Option(
    help: ArgumentHelp(
      "Milliseconds of media that may wait for a slow server before pictures are dropped, 100 to 30000. Default 2000.",
      valueName: "ms"))
  var relayQueue: Int?

  @Option(
    help: ArgumentHelp(
      "Tries in a row to reach a server before a job fails, 1 to 1000000. Default 10.", valueName: "count"))
  var relayTries: Int?

  @Option(
    help: ArgumentHelp(
      "Seconds for which a job goes on with silence and the last picture once its tracks are gone, 1 to 86400. Default 30.",
      valueName: "seconds"))
  var relayPatience: Int?

  @Option(help: ArgumentHelp("Hz of the sound that jobs send, 44100 or 48000. Default 44100.", valueName: "Hz"))
  var relayAudioRate: Int?

  @Option(help: ArgumentHelp("kbit/s of the sound that jobs send, 32 to 320. Default 128.", valueName: "kbit/s"))
  var relayAudioKbps: Int?

  @Option(
    help: ArgumentHelp(
      """
      own: each job names its URL. manual: jobs go to the room's own URL, --push-url. auto: the server begins them itself as soon \
      as somebody publishes. Default own; a room can be created with another.
      """, valueName: "own|manual|auto"))
  var pushPolicy: String?

  @Option(
    help: ArgumentHelp(
      "The URL of manual and auto, with {room} or {user} in it: rtmp://cdn.example/live/{room}.", valueName: "url"))
  var pushUrl: String?

  @Option(help: ArgumentHelp("Publish URLs that are fed at once. Default 256.", valueName: "count"))
  var broadcasts: Int?

  @Option(
    help: ArgumentHelp(
      "Cores that mixes may take; a merge job that would not fit is refused. Default 85 % of the machine.", valueName: "cores"))
  var mixCores: Double?

  @Option(
    help: ArgumentHelp(
      "A font file for texts in mixes, such as one with Chinese letters. Default DejaVu Sans.", valueName: "file"))
  var mixFont: String?

  @Option(
    help: ArgumentHelp(
      "A PEM file of the certificates that RTMPS servers may be signed by. Default: the system's.", valueName: "file"))
  var relayCertificates: String?

  @Option(
    help: ArgumentHelp(
      "A directory that jobs may record into, by publish URLs file:NAME.mp4 and file:NAME.flv. Default: none, nothing is recorded.",
      valueName: "directory"))
  var recordings: String?

  @Option(help: ArgumentHelp("GiB that the file of a recording may have, 1 to 65536. Default 8.", valueName: "GiB"))
  var recordingLimit: Int?

  /// Fills in the relay's part of a configuration.
  func apply(to configuration: inout ServerConfiguration, _ environment: ServeEnvironment) throws {
    func number(_ flag: Int?, _ name: String, _ range: ClosedRange<Int>, _ words: String) throws -> Int? {
      guard let value = try flag ?? environment.number(name) else { return nil }
      guard range.contains(value) else { throw ValidationError("--\(words) is \(range.lowerBound) to \(range.upperBound)") }
      return value
    }
    let targets = relayTarget.isEmpty ? environment.list("RELAY_TARGET") : relayTarget
    var relay = configuration.relay
    if !targets.isEmpty {
      do { relay.broadcasts.targets = try RelayTargets(parsing: targets) } catch {
        throw ValidationError("--relay-target: \(error)")
      }
    }
    if let queue = try number(relayQueue, "RELAY_QUEUE", 100...30_000, "relay-queue") {
      relay.broadcasts.push.queueLimit = queue
    }
    if let tries = try number(relayTries, "RELAY_TRIES", 1...1_000_000, "relay-tries") {
      relay.broadcasts.push.retries = PushRetries(attempts: tries)
    }
    if let patience = try number(relayPatience, "RELAY_PATIENCE", 1...86_400, "relay-patience") {
      relay.broadcasts.patience = Int64(patience) * 1_000_000
    }
    if let rate = try relayAudioRate ?? environment.number("RELAY_AUDIO_RATE") {
      guard rate == 44_100 || rate == 48_000 else { throw ValidationError("--relay-audio-rate is 44100 or 48000") }
      relay.broadcasts.broadcast.audio.format.sampleRate = rate
    }
    if let kbps = try number(relayAudioKbps, "RELAY_AUDIO_KBPS", 32...320, "relay-audio-kbps") {
      relay.broadcasts.broadcast.audio.bitrate = kbps * 1000
    }
    if let limit = try number(broadcasts, "BROADCASTS", 1...10_000, "broadcasts") { relay.limit = limit }
    if let cores = try mixCores
      ?? environment.text("MIX_CORES").map({ text in
        guard let value = Double(text) else { throw ValidationError("--mix-cores is a number of cores, not \(text)") }
        return value
      })
    {
      guard (0.05...1024).contains(cores) else { throw ValidationError("--mix-cores is 0.05 to 1024") }
      relay.mixCores = cores
    }
    relay.font = mixFont ?? environment.text("MIX_FONT")
    relay.broadcasts.trustedCertificates = relayCertificates ?? environment.text("RELAY_CERTIFICATES")
    let gibibytes = try number(recordingLimit, "RECORDING_LIMIT", 1...65_536, "recording-limit")
    if let directory = recordings ?? environment.text("RECORDINGS") {
      relay.recordings = Recordings.Settings(directory: directory)
      if let gibibytes { relay.recordings?.limit = Int64(gibibytes) << 30 }
    } else if gibibytes != nil {
      throw ValidationError("--recording-limit needs --recordings")
    }
    let policy = pushPolicy ?? environment.text("PUSH_POLICY") ?? "own"
    guard let mode = PushPolicy.Mode(rawValue: policy) else {
      throw ValidationError("--push-policy is own, manual or auto, not \(policy)")
    }
    relay.policy = PushPolicy(mode, publishUrl: pushUrl ?? environment.text("PUSH_URL"))
    if let complaint = relay.policy.complaint { throw ValidationError("--push-policy: \(complaint)") }
    configuration.relay = relay
  }
}
