// Prints what each step of RoomSound costs for 10 ms of stereo sound at 48 kHz, as Markdown: the table of docs/performance/mixing.md.
import RoomCodecs
import RoomRTP
import RoomSound

let clock = ContinuousClock()
let rounds = 20
let frames = 200
var tone = ToneGenerator(frequency: 440, amplitude: 0.3, format: .stereo48k)
let samples = tone.next(480)

/// Prints the median of 20 rounds of 200 frames, in µs per frame.
func measure(_ name: String, _ body: () throws -> Void) rethrows {
  var times: [Double] = []
  for _ in 0..<rounds {
    let time = try clock.measure { for _ in 0..<frames { try body() } }
    times.append(Double(time.components.attoseconds) / 1e12 / Double(frames))
  }
  let median = times.sorted()[rounds / 2]
  print("| \(name) | \((median * 10).rounded() / 10) |")
}

print("| step | µs for 10 ms |")
print("|---|---|")

for (name, effect) in [("gain", Effect.gain(-3)), ("echo", .echo(.init())), ("reverb", .reverb(.medium))] {
  let chain = EffectChain()
  chain.replace(with: [effect])
  measure(name) {
    var block = samples.map(Float.init)
    chain.process(&block)
  }
}

let kinds: [(String, VoiceProcessing.Settings)] = [
  ("noise suppression", .init(cancelsEcho: false)), ("echo cancellation", .init(noiseSuppression: nil)),
  ("echo cancellation, noise suppression, automatic gain", .init(adjustsGain: true)),
]
for (name, settings) in kinds {
  let voice = try VoiceProcessing(settings)
  measure(name) {
    voice.played(samples)
    var block = samples.map(Float.init)
    voice.process(&block)
  }
}

var block = [Float](repeating: 0, count: 960)
for (name, speed) in [("playout, equal clocks", 0), ("playout, stretched by 0.2 %", 1)] {
  var playout = ClockMatchedPlayout()
  var extra: [Int16] = samples
  if speed > 0 { extra += samples.prefix(2) }
  measure(name) {
    playout.write(extra)
    playout.read(&block)
  }
}

for (name, effects) in [
  ("studio, two channels", []), ("the same, with echo and reverb", [Effect.echo(.init()), .reverb(.medium)]),
] {
  let studio = SoundStudio(SoundSettings(effects: effects), milliseconds: 10)
  var now = MediaTime.zero
  try measure(name) {
    for channel in ["microphone", "app"] { studio.push(AudioFrame(samples: samples, format: .stereo48k), to: channel) }
    _ = try studio.next(at: now)
    now = now.advanced(milliseconds: 10)
  }
}
