import RoomProtocol
import RoomRelay

/// What the mix of a PK's stage shows and plays, in words that mean the same in each room of the PK. Rooms of a server whose mixes have
/// equal contents send one mix.
///
/// The names and scores in the picture follow from the PK, and are not compared: they change in all rooms, one shortly after the other.
struct SharedContent: Hashable, Sendable {
  var pk: PKID
  var picture: MixPicture?
  var background: MergeBackground?
  /// The users are named `user@room`; sorted.
  var layouts: [TrackLayout]
  /// The app's own texts.
  var texts: [MergeText]
  var names: Bool
  var scores: Bool
  /// The inputs whose tracks are present.
  var inputs: Set<String>
}
