import RoomProtocol

/// An event of the room's attributes; see ``RoomAttributes/events()``.
///
/// New versions of the library may add cases, so a `switch` should have a `default`.
public enum AttributeEvent: Sendable {
  /// Attributes were set or removed.
  case changed(AttributesChangedData)
  /// The connection returned after so long that changes are missing. ``RoomAttributes/all`` is current.
  case refreshed

  init?(_ event: RoomEvent) {
    switch event {
    case .attributesChanged(let data): self = .changed(data)
    case .refreshed: self = .refreshed
    default: return nil
    }
  }
}
