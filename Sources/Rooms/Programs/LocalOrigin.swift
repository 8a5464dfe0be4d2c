import RoomLiveOrigin
import RoomRTMP
import RoomRelay
import RoomProtocol

/// The live origin of this server, to which broadcasts publish without a socket.
package protocol LocalOrigin: Sendable {
  /// Returns whether a publish URL leads to this server.
  func owns(_ address: RTMPAddress) -> Bool
  /// Returns whether publishing to an application creates live streams rather than joining rooms.
  func hasStreams(_ app: String) -> Bool
  /// Starts to publish a stream.
  /// - Parameter ended: called from any thread, with the reason, if the origin ends the publish.
  /// - Throws: 80201 if the origin rejects it.
  func publish(
    _ path: StreamPath, ended: @escaping @Sendable (_ reason: String) -> Void
  ) throws(RoomError) -> any BroadcastOutlet
}
