/// Determines a room's active speakers: levels smoothed over about a second, a threshold to become a speaker and a time to stay
/// one.
struct SpeakerRanking {
  /// In dBov. Speech at a normal distance is between −20 and −40.
  static let threshold = -45.0
  /// Ticks of 200 ms that a silent speaker stays active, so that no other takes over between two sentences.
  static let holdTicks = 5
  static let maximumSpeakers = 8

  private struct Voice {
    var smoothed = -127.0
    var remainingTicks = 0
  }

  private var voices: [MediaTrackID: Voice] = [:]
  private(set) var speakers: [MediaTrackID] = []

  /// Updates the ranking with the levels of one tick, in dBov; absent tracks were silent. Returns true if the set of speakers
  /// or the loudest one changed.
  mutating func update(_ levels: [TrackLevel]) -> Bool {
    var loudness: [MediaTrackID: Int] = [:]
    for level in levels { loudness[level.track] = level.level }
    for track in loudness.keys where voices[track] == nil { voices[track] = Voice() }
    for (track, var voice) in voices {
      let level = Double(loudness[track] ?? -127)
      // Fast attack, decay over about a second.
      voice.smoothed = level > voice.smoothed ? (voice.smoothed + level) / 2 : voice.smoothed * 0.8 + level * 0.2
      voice.remainingTicks = level > Self.threshold ? Self.holdTicks : max(0, voice.remainingTicks - 1)
      voices[track] = voice.remainingTicks == 0 && voice.smoothed < -100 ? nil : voice
    }
    let ranked = voices.filter { $0.value.remainingTicks > 0 }
      .sorted { ($0.value.smoothed, $1.key.rawValue) > ($1.value.smoothed, $0.key.rawValue) }
      .prefix(Self.maximumSpeakers).map(\.key)
    guard ranked.first != speakers.first || Set(ranked) != Set(speakers) else { return false }
    speakers = ranked
    return true
  }

  mutating func remove(_ track: MediaTrackID) { voices[track] = nil }
}
