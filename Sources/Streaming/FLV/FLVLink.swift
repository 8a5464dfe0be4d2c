import RoomRTMP

/// One connection that takes FLV messages. The connection is closed with its last reference.
protocol FLVLink: AnyObject, Sendable {
  /// Sends the next messages of the stream. Returns at once.
  func send(_ messages: [MediaMessage])
  /// Ends the stream at the server and closes the connection.
  func close() async
  func progress() async -> StreamingProgress
}
