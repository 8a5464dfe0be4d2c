/// Who speaks in a room: levels smoothed over about a second, with a threshold to become a speaker and time to stay one.
struct SpeakerRanking {
  /// dBov; speech at a normal distance lies between −20 and −40.
  static let threshold = -45.0
  /// Ticks of 200 ms that a speaker stays after falling silent: between two sentences nobody takes over.
  static let hold = 5
  static let maximumSpeakers = 8

  private struct Voice {
    var smoothed = -127.0
    var held = 0
  }

  private var voices: [MediaTrackID: Voice] = [:]
  private(set) var speakers: [MediaTrackID] = []

  /// Takes the levels of one tick, dBov; tracks that are absent were silent. True when the set of speakers or the loudest changed.
  mutating func update(_ levels: [TrackLevel]) -> Bool {
    var heard: [MediaTrackID: Int] = [:]
    for level in levels { heard[level.track] = level.level }
    for track in heard.keys where voices[track] == nil { voices[track] = Voice() }
    for (track, var voice) in voices {
      let level = Double(heard[track] ?? -127)
      // Rises at once, falls over about a second.
      voice.smoothed = level > voice.smoothed ? (voice.smoothed + level) / 2 : voice.smoothed * 0.8 + level * 0.2
      voice.held = level > Self.threshold ? Self.hold : max(0, voice.held - 1)
      voices[track] = voice.held == 0 && voice.smoothed < -100 ? nil : voice
    }
    let ranked = voices.filter { $0.value.held > 0 }
      .sorted { ($0.value.smoothed, $1.key.rawValue) > ($1.value.smoothed, $0.key.rawValue) }
      .prefix(Self.maximumSpeakers).map(\.key)
    guard ranked.first != speakers.first || Set(ranked) != Set(speakers) else { return false }
    speakers = ranked
    return true
  }

  mutating func remove(_ track: MediaTrackID) { voices[track] = nil }
}
