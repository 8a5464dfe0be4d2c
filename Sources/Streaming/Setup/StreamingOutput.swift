import RoomClient
import RoomCodecs
import RoomMedia
internal import RoomWebRTC

/// What happens to a connection of an output.
enum StreamingLinkEvent: Sendable {
  /// The server accepted the stream, at this address if it is known.
  case opened(TransportAddress?)
  /// The connection could not be opened, or is lost.
  case failed(StreamingFailure)
}

/// The side of one protocol: it encodes pictures and sound, and sends them over one connection at a time.
///
/// A protocol is added by a new case of ``StreamingAddress`` and a type that conforms to this protocol.
protocol StreamingOutput: AnyObject, Sendable {
  /// Takes the next picture of the source. Returns at once.
  /// - Returns: false if a picture was dropped because the encoder is busy.
  func push(_ frame: VideoFrame) -> Bool
  /// Takes the next samples of the source. Returns at once.
  func push(_ frame: AudioFrame)
  /// Opens a connection, in place of the last one.
  /// - Parameter tell: called for each event of this connection.
  func open(_ address: StreamingAddress, tell: @escaping @Sendable (StreamingLinkEvent) -> Void)
  /// Ends the stream at the server and closes the connection. A call of `open` may follow at once.
  func close(then: @escaping @Sendable () -> Void)
  /// Returns what the connection has sent.
  func progress() async -> StreamingProgress
  /// Encodes the video at a rate from the next picture on.
  func encode(at rate: EncodingRate)
  /// Applies the session's switches.
  func apply(_ options: StreamingOptions)
  /// Encodes the video in another configuration from the next picture on.
  func reconfigure(_ video: VideoConfiguration)
  /// Follows a change of the network within the connection. Returns false if the protocol needs a new connection.
  func followNetwork() -> Bool
  /// Ends the encoders.
  func stop()
}
