import RoomRTP
import RoomWebRTC

/// A worker's state of one TCP connection. Trivial: `TCPConnections` owns the memory that it points to.
struct TCPConnection {
  let descriptor: Int32
  /// The remote address: `isTCP` is set, and `socket` is the listener's number.
  let address: TransportAddress
  /// The time at which the connection is closed if no valid input arrives before.
  var deadline: Instant
  /// The transport to whose client this connection belongs, as a connectivity check proved; −1 before.
  var transport: Int32 = -1
  /// Bytes of an incomplete frame.
  var partial = 0
  /// Bytes that wait to be sent. Allocated on the first send.
  var queue: ByteQueue?
  /// The next connection in the list of those that have work at the end of the turn.
  var nextBusy: Int32 = -1
  var isBusy = false
  /// Whether part of the queue did not fit in the kernel's buffer.
  var awaitsRoom = false
  /// Whether epoll watches for space in that buffer.
  var isWatchedForRoom = false
  /// Whether video waits until the queue is nearly empty.
  var isStalled = false
  /// Whether the connection is to be closed at the end of the turn.
  var isOver = false

  init(descriptor: Int32, address: TransportAddress, deadline: Instant) {
    self.descriptor = descriptor
    self.address = address
    self.deadline = deadline
  }

  var isProven: Bool { transport >= 0 }
}
