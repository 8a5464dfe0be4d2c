import RoomCMicroHTTPD

/// A connection that libmicrohttpd has suspended.
///
/// Sendable: `MHD_resume_connection` may be called from any thread, and the connection exists while it is suspended. The
/// pointer has no other use.
package struct SuspendedConnection: @unchecked Sendable {
  private let connection: OpaquePointer

  init(suspending connection: OpaquePointer) {
    self.connection = connection
    MHD_suspend_connection(connection)
  }

  package func resume() { MHD_resume_connection(connection) }
}
