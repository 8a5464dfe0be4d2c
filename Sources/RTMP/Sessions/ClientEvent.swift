/// What the server said or did, in order.
public enum ClientEvent: Hashable, Sendable {
  /// The connection was accepted; publish or play comes next, by itself.
  case connected(Status)
  /// Publishing: media may be sent. Playing: media follows.
  case started(Status)
  /// Something else that the server says of the stream or the connection.
  case status(Status)
  /// Media of the stream that is played.
  case media(MediaMessage)
  /// The stream that is played has ended; the connection stays.
  case ended
  /// The server asks to connect anew, to this URL where there is one (Enhanced RTMP v2, Reconnect Request); until then all goes
  /// on.
  case reconnectRequested(tcURL: String?, description: String)
  /// The session is over: send the output that is left and close the socket. The last event.
  case closed(SessionFailure)
}
