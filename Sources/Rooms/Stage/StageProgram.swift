import RoomRTP
import RoomProtocol

/// The picture and the sound of a room's stage, as its broadcasts, its recordings and its audience get it.
struct StageProgram: Sendable {
  /// The users on stage and how they are composed.
  struct Content: Hashable, Sendable {
    /// The only user on stage, whose tracks need no composition; nil if there are more, or a card or a screen is shown.
    var single: UserID?
    var people: [UserID]
    var composition: StageComposition
  }

  /// The renditions of the composition.
  enum Rendition: CaseIterable, Hashable, Sendable {
    case whole
    /// Without pictures: for a voice room, and for jobs that send sound only.
    case sound
  }

  /// The session that may change compositions before they are shown.
  struct Editor: Sendable {
    var user: UserID
    var connection: ConnectionID
    /// Milliseconds.
    var deadline: Int
  }

  /// What is shown now; nil while nobody is on stage.
  var content: Content?
  /// What would be shown without an editor.
  var proposed: Content?
  /// Whether ``proposed`` waits for the editor, under the number ``lastNumber``.
  var isPending = false
  var editor: Editor?
  var lastNumber = 0
  /// The mixes that show the composition.
  var mixes: [Rendition: MixID] = [:]
  /// Successors that are being made with another picture size or rate.
  var next: [Rendition: MixID] = [:]
  /// The compositions that could not be made, so that they are not tried again and again.
  var refused: [Rendition: MixPlan] = [:]
  /// Whether any user on stage has sent pictures since the stage was last empty: then a camera that is off is shown as a card.
  var hasPictures = false
  /// Until when users that just sat down are awaited, so that their frames do not start empty.
  var awaited: [UserID: Instant] = [:]
}
