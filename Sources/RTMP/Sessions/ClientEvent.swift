/// An event of a client session, in order.
public enum ClientEvent: Hashable, Sendable {
  /// The server accepted the connection. The session sends publish or play next.
  case connected(Status)
  /// When publishing, media may be sent; when playing, media follows.
  case started(Status)
  /// Another status of the stream or the connection.
  case status(Status)
  /// Media of the played stream.
  case media(MediaMessage)
  /// The played stream has ended. The connection stays open.
  case ended
  /// The server asks the client to reconnect, to this URL if there is one (Enhanced RTMP v2, Reconnect Request). Until then the
  /// session continues.
  case reconnectRequested(tcURL: String?, description: String)
  /// The session has ended: send the remaining output and close the socket. The last event.
  case closed(SessionFailure)
}
