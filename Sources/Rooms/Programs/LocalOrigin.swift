import LiveOrigin
import RTMP
import Relay
import RoomProtocol

/// The live origin of this server, which broadcasts publish to without a socket.
package protocol LocalOrigin: Sendable {
  /// Whether a publish URL leads to this server.
  func owns(_ address: RTMPAddress) -> Bool
  /// Whether publishes to an application become live streams, and do not go into rooms.
  func hasStreams(_ app: String) -> Bool
  /// Begins to publish a stream.
  /// - Parameter ended: called from any thread, with the reason, if the origin ends the publish.
  /// - Throws: 80201 if the origin refuses it.
  func publish(
    _ path: StreamPath, ended: @escaping @Sendable (_ reason: String) -> Void
  ) throws(RoomError) -> any BroadcastOutlet
}
