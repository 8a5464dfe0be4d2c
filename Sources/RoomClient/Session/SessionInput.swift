import RoomProtocol

/// What a session processes, in order: messages of sockets, events of media transports, and time.
enum SessionInput: Sendable {
  case opened(SignalSocket, epoch: Int)
  /// The socket to the server at which the session continues.
  case alternative(SignalSocket, SignalAddress, epoch: Int)
  case noAlternative(RoomClientError, SignalAddress)
  case notOpened(RoomClientError, epoch: Int)
  case socket(SignalSocket.Incoming, epoch: Int)
  case media(MediaChannel.Event, TransportKind, generation: Int)
  case decoded(RemoteTrack)
  case waited(epoch: Int)
  case abandoned(SessionCalls.Abandoned)
  case networkChanged
  case tick
}
