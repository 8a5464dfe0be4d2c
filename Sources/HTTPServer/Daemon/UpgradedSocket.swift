import RoomCMicroHTTPD
import Synchronization

/// The socket that libmicrohttpd hands over after `101 Switching Protocols`.
package struct UpgradedSocket: Sendable {
  /// Owned by libmicrohttpd; duplicate it, and do not close it.
  package let descriptor: CInt
  /// Bytes that the client sent directly after its request.
  package let early: [UInt8]
  package let request: HTTPRequest
  /// Kept as long as the socket.
  private let reservation: ConnectionsPerAddress.Reservation?
  private let handle: UpgradeHandle

  init(
    descriptor: CInt, early: [UInt8], request: HTTPRequest, reservation: ConnectionsPerAddress.Reservation?,
    handle: OpaquePointer
  ) {
    self.descriptor = descriptor
    self.early = early
    self.request = request
    self.reservation = reservation
    self.handle = UpgradeHandle(handle)
  }

  /// Returns the connection to libmicrohttpd, which closes its descriptor. A second call has no effect.
  package func release() { handle.release() }
}

/// Releases an upgraded connection once.
///
/// Sendable: `MHD_upgrade_action` may be called from any thread; the lock makes it happen once, after which the pointer is
/// not used.
private final class UpgradeHandle: @unchecked Sendable {
  private let handle: OpaquePointer
  private let released = Mutex(false)

  init(_ handle: OpaquePointer) { self.handle = handle }

  func release() {
    let first = released.withLock { released in
      defer { released = true }
      return !released
    }
    if first { _ = mhd_upgrade_close(handle) }
  }
}
