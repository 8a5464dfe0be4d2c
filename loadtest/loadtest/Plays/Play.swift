/// What bots do in a scenario.
protocol Play: Sendable {
  /// Beside those that every play has.
  static var parameters: [Parameter] { get }
  init(_ values: ParameterValues)
  /// Comes, plays, and goes; what is measured is told to the stage's recorder. Throws where it can't go on.
  func perform(on stage: Stage) async throws
}

/// The plays by the names that scenarios have for them.
enum PlayKind: String, Sendable, CaseIterable, Codable {
  case soloLive = "solo-live"
  case pkBattle = "pk-battle"
  case voiceRoom = "voice-room"
  case meeting
  case churn

  var type: any Play.Type {
    switch self {
    case .soloLive: SoloLive.self
    case .pkBattle: PKBattle.self
    case .voiceRoom: VoiceRoom.self
    case .meeting: Meeting.self
    case .churn: Churn.self
    }
  }
}
