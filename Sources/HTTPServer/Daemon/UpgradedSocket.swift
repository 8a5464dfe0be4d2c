import RoomCMicroHTTPD
import RoomLinux
import Synchronization

/// The socket of a connection after `101 Switching Protocols`.
package struct UpgradedSocket: Sendable {
  /// Closed by the receiver; negative if the process has no descriptor left.
  package let descriptor: CInt
  /// Bytes that the client sent directly after its request.
  package let early: [UInt8]
  package let request: HTTPRequest
  /// Kept as long as the socket, as `count`.
  var reservations: [ConnectionsPerAddress.Reservation?] = []
  var count: SocketCount?
  private let handle: UpgradeHandle

  init(descriptor: CInt, early: [UInt8], request: HTTPRequest, handle: OpaquePointer) {
    self.descriptor = descriptor
    self.early = early
    self.request = request
    self.handle = UpgradeHandle(handle)
  }

  /// Returns the connection to libmicrohttpd, which ends its TLS session. A second call has no effect.
  package func release() { handle.release() }
}

/// Counts one socket until it is released.
final class SocketCount: Sendable {
  private let count: Guarded<Int>

  init(_ count: Guarded<Int>) {
    self.count = count
    count.withLock { $0 += 1 }
  }

  deinit { count.withLock { $0 -= 1 } }
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
