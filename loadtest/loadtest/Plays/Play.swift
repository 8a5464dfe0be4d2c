/// The behaviour of bots in a scenario.
protocol Play: Sendable {
  /// Parameters in addition to those that every play has.
  static var parameters: [Parameter] { get }
  init(_ values: ParameterValues)
  /// Joins, runs and leaves. Measurements go to the stage's recorder.
  /// - Throws: the reason if the play can't continue.
  func perform(on stage: Stage) async throws
}

/// The plays by their names in scenarios.
enum PlayKind: String, Sendable, CaseIterable, Codable {
  case soloLive = "solo-live"
  case pkBattle = "pk-battle"
  case pkChanges = "pk-changes"
  case voiceRoom = "voice-room"
  case meeting
  case churn
  case audience

  var type: any Play.Type {
    switch self {
    case .soloLive: SoloLive.self
    case .pkBattle: PKBattle.self
    case .pkChanges: PKChanges.self
    case .voiceRoom: VoiceRoom.self
    case .meeting: Meeting.self
    case .churn: Churn.self
    case .audience: Audience.self
    }
  }
}
