import CMicroHTTPD

/// A connection that libmicrohttpd has suspended for us.
///
/// Sendable: `MHD_resume_connection` may be called from any thread, and the connection stays while it is suspended. Nothing
/// else is done with the pointer.
package struct SuspendedConnection: @unchecked Sendable {
  private let connection: OpaquePointer

  init(suspending connection: OpaquePointer) {
    self.connection = connection
    MHD_suspend_connection(connection)
  }

  package func resume() { MHD_resume_connection(connection) }
}
