import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what mixing costs a server in a voice room with a few speakers and many listeners.
struct Voice: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what a voice room with a few speakers and many listeners costs a server.",
    discussion: """
      Each speaker says a tone of its own and hears everybody but itself; each listener hears them all, in one track. Several \
      targets are measured one after the other with the same bots, as often as --pairs says:

        loadtest voice --start --target roomserver --target janus --speakers 8 --listeners 100 --seconds 20

      With --start each measurement has a server of its own on free ports. Without it the servers run already: roomserver at \
      --url, Janus at --janus-url, and --server-pid tells whose CPU and memory to measure. Janus takes no loopback address: \
      loadtest/own-network.sh has another one.
      """)

  @Option(help: "roomserver or janus; may be repeated.")
  var target: [VoiceServerKind] = [.roomserver]

  @Option(help: "Number of speakers, 1 to 24.")
  var speakers = 8

  @Option(help: "Number of listeners, 1 to 900.")
  var listeners = 100

  @Option(help: "Length of the measurement window in seconds.")
  var seconds = 20.0

  @Option(help: "Bitrate of each voice and each mix in kbps.")
  var kbps = 64

  @Option(help: "Sampling rate of Janus' mix in Hz; this server's is 48000.")
  var samplingRate = 48_000

  @Option(help: "SRTP profile that the bots offer: gcm or cm.")
  var profile = FanoutProfile.gcm

  @Option(help: "Number of measurements of each target, alternating between targets.")
  var pairs = 1

  @Option(help: "Number of concurrent joins.")
  var joinsAtOnce = 2

  @OptionGroup var servers: ServerOptions

  @Option(help: "The room, which is created.")
  var room = "voice"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  func validate() throws {
    try check("speakers", speakers, 1...24)
    try check("listeners", listeners, 1...900)
    try check("seconds", seconds, 0.5...3600)
    try check("kbps", kbps, 32...256)
    try check(
      "sampling-rate", samplingRate, [8000, 12_000, 16_000, 24_000, 48_000].contains(samplingRate),
      "8000, 12000, 16000, 24000 or 48000")
    try check("pairs", pairs, 1...100)
    try check("joins-at-once", joinsAtOnce, 1...100)
    try check(targets: target)
    try servers.check(targets: target.count)
  }

  /// The options that are the same for every server.
  var plan: VoicePlan {
    VoicePlan(
      speakers: speakers, listeners: listeners, seconds: seconds, kbps: kbps, samplingRate: samplingRate,
      joinsAtOnce: joinsAtOnce, profile: profile)
  }

  func measure(_ progress: ProgressLine) async throws -> Series<VoiceResult> {
    try DescriptorLimit.raise(to: 2 * listeners + 256)
    let tones = try SpokenTones(speakers: speakers, kbps: kbps)
    return try await Series.measure(target, rounds: pairs, progress) { kind in
      try await server(kind).measure { server in
        try await VoiceRun(plan: plan, tones: tones, kind: kind, server: server, progress: progress).measure()
      }
    }
  }

  private func server(_ kind: VoiceServerKind) async throws -> MeasuredServer<any VoiceTarget> {
    let index = target.firstIndex(of: kind)
    switch kind {
    case .roomserver:
      return try await servers.roomserver(index, besideJanus: target.contains(.janus)).map {
        RoomserverVoice(server: $0, room: RoomName(room), kbps: kbps)
      }
    case .janus:
      return try await servers.janus(index, plugin: JanusBridge.plugin).map {
        JanusBridge(url: $0, samplingRate: samplingRate, kbps: kbps)
      }
    }
  }
}
