import RoomLiveOrigin
import RoomProtocol

/// The stream of an encoder in a room.
package protocol RoomEncoder: AnyObject, Sendable {
  var encoderProtocol: EncoderProtocol { get }
  /// Called when the room has accepted the stream.
  func enter(_ room: Room)
  /// Called when the room has ended the participant.
  func ended(_ ended: EndedData)
}
