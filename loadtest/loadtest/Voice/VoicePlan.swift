/// The parameters of a measurement, the same for every server.
struct VoicePlan: Sendable {
  var speakers = 8
  var listeners = 100
  /// Length of the measurement window with all participants, in seconds.
  var seconds = 20.0
  /// Bitrate of each voice and each mix, in kbps.
  var kbps = 64
  /// Sampling rate of mixes in Hz, for servers on which it can be configured.
  var samplingRate = 48_000
  /// Number of concurrent joins.
  var joinsAtOnce = 2
  var profile = FanoutProfile.gcm

  var speakerNames: [String] { (1...speakers).map { "speaker-\($0)" } }
}
