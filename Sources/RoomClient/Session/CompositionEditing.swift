import RoomProtocol

/// The changes that this client makes to compositions before they are shown.
struct CompositionEditing: Sendable {
  /// Milliseconds.
  var deadline: Int
  var change: @Sendable (StageComposition) async -> StageComposition?
}
