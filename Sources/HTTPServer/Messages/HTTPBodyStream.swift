import RoomCMicroHTTPD

/// A body that is made while it is sent. The daemon reads it as fast as its client does.
package protocol HTTPBodyStream: AnyObject, Sendable {
  /// Copies available bytes into `memory`. Called from one thread of the daemon at a time, and only while the client reads.
  ///
  /// If there are none, call `suspend` before returning 0, under the lock that the code which resumes the connection takes
  /// first: a connection that is resumed before it is suspended stays suspended. All connections must be resumed before the
  /// daemon is stopped.
  /// - Returns: the number of bytes copied; nil at the end. Before the declared length, the end closes the connection.
  func read(into memory: UnsafeMutableRawBufferPointer, suspend: () -> SuspendedConnection) -> Int?

  /// Called last, when the connection has ended.
  func finished()
}

/// The context that libmicrohttpd keeps for a response whose body is a stream.
final class HTTPBodyReader {
  private let stream: any HTTPBodyStream
  private let connection: OpaquePointer

  private init(_ stream: any HTTPBodyStream, _ connection: OpaquePointer) {
    self.stream = stream
    self.connection = connection
  }

  /// Bytes that libmicrohttpd reads at a time.
  private static let blockSize = 16 << 10

  /// Returns a response that reads its body from `stream`, for this connection only.
  /// - Parameter length: the bytes of the body; nil if they are unknown.
  static func response(_ stream: any HTTPBodyStream, length: Int64?, on connection: OpaquePointer) -> OpaquePointer? {
    let reader = Unmanaged.passRetained(HTTPBodyReader(stream, connection))
    let read: MHD_ContentReaderCallback = { context, _, memory, size in
      guard let context, let memory, size > 0 else { return Int(mhd_end_of_stream()) }
      let reader = Unmanaged<HTTPBodyReader>.fromOpaque(context).takeUnretainedValue()
      let room = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(memory), count: size)
      return reader.stream.read(into: room) { SuspendedConnection(suspending: reader.connection) } ?? Int(mhd_end_of_stream())
    }
    let free: MHD_ContentReaderFreeCallback = { context in
      guard let context else { return }
      let reader = Unmanaged<HTTPBodyReader>.fromOpaque(context).takeRetainedValue()
      reader.stream.finished()
    }
    guard
      let response = MHD_create_response_from_callback(
        length.map { UInt64(max(0, $0)) } ?? mhd_size_unknown(), blockSize, read, reader.toOpaque(), free)
    else {
      reader.takeRetainedValue().stream.finished()
      return nil
    }
    return response
  }
}
