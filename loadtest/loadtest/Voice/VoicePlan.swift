/// What is measured, the same for every server.
struct VoicePlan: Sendable {
  var speakers = 8
  var listeners = 100
  /// Length of the steady window, in which everybody is there.
  var seconds = 20.0
  /// Of each voice and each mix, in thousands of bits a second.
  var kbps = 64
  /// Samples a second of mixes, for servers that let it be chosen.
  var samplingRate = 48_000
  /// Joins under way at once.
  var joinsAtOnce = 2
  var profile = FanoutProfile.gcm

  var speakerNames: [String] { (1...speakers).map { "speaker-\($0)" } }
}
