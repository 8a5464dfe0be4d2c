import NIOCore
import RoomLiveOrigin

/// A server that publishes a stream.
package struct StreamServer: Sendable, Hashable {
  /// The server's name in logs, unique among the servers.
  package var name: String
  /// The URL of its HTTP server.
  package var address: String

  package init(name: String, address: String) { (self.name, self.address) = (name, address) }
}

/// The streams of a cluster: which server publishes a stream, and the media of the other servers.
package protocol StreamRegistry: Sendable {
  /// Enters a publish of this server, and returns when it is entered. Without an answer in time, it is entered later.
  /// - Parameter refused: called if the entry turns out later to be impossible, because another server publishes the stream.
  /// - Throws: ``OriginRefusal/Reason/inUse`` if another server publishes the stream.
  func claim(
    _ path: StreamPath, refused: @escaping @Sendable (_ reason: String) -> Void
  ) async throws(OriginRefusal) -> StreamClaim

  /// Enters a publish of this server that has begun.
  /// - Parameter refused: as above.
  func enter(_ path: StreamPath, refused: @escaping @Sendable (_ reason: String) -> Void) -> StreamClaim

  /// Returns the other server that publishes a stream; nil if none does.
  /// - Throws: ``OriginRefusal/Reason/registry`` if that is unknown.
  func server(of path: StreamPath) async throws(OriginRefusal) -> StreamServer?

  /// Reads a stream of another server as FLV, until it ends or the calling task is cancelled.
  /// - Parameter receive: called on one event loop with the bytes that arrive; an error ends the connection.
  /// - Throws: if the server can't be reached, refuses, or sends no answer in time.
  func read(
    _ path: StreamPath, from server: StreamServer, receive: @escaping @Sendable (ByteBuffer) throws -> Void
  ) async throws
}

/// The entry of a publish in the registry. The entry is removed when this object is released.
package final class StreamClaim: Sendable {
  private let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}

/// Makes streams of other servers available at this one.
package struct StreamPuller: Sendable {
  /// Starts to pull a stream that another server publishes, or continues to. Without one, does nothing.
  var prepare: @Sendable (StreamPath) async throws(OriginRefusal) -> Void
  /// Continues to pull a stream. Returns false if the stream is not there.
  var keep: @Sendable (StreamPath) -> Bool
  /// Ends the pull of a stream that is published here from now on. The stream's viewers stay.
  var yield: @Sendable (StreamPath) -> Void
}
