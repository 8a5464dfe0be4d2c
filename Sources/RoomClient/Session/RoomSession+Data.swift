import RoomProtocol
import RoomWebRTC

/// Messages over data channels.
extension RoomSession {
  /// The time between two tries to send.
  private static let retryInterval = Duration.milliseconds(20)

  func send(_ message: DataChannelMessage, label: String) async throws {
    guard options.data else { throw RoomClientError.mediaFailed("the room was joined without RoomOptions.data") }
    let end = ContinuousClock.now + options.timeout
    while true {
      guard !machine.state.isClosed else { throw RoomClientError.closed }
      if let transport = subscriber.transport {
        switch await transport.send(message, label: label) {
        case nil: return
        case .messageTooLong(let limit): throw RoomError(.messageFailed, "payload: the server accepts at most \(limit) bytes")
        // The transport may be replaced, and the channel opens soon or has space again.
        default: break
        }
      }
      guard ContinuousClock.now < end else { throw RoomClientError.timedOut("data") }
      try await Task.sleep(for: Self.retryInterval)
    }
  }
}
