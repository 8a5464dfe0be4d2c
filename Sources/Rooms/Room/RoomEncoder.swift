import RoomProtocol

/// An encoder's stream, as its room sees it.
package protocol RoomEncoder: AnyObject, Sendable {
  /// The room has let the stream in.
  func enter(_ room: Room)
  /// The room ended the participant.
  func ended(_ ended: EndedData)
}
