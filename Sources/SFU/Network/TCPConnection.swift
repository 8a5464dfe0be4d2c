import RTP
import WebRTC

/// What a worker holds of one TCP connection. Trivial: `TCPConnections` owns what it points to.
struct TCPConnection {
  let descriptor: Int32
  /// The far end: with `isTCP`, and the number of the listener as `socket`.
  let address: TransportAddress
  /// When the connection is closed, unless it says something sensible before.
  var deadline: Instant
  /// The transport that a check on this connection proved to be the far end's; −1 before.
  var transport: Int32 = -1
  /// Bytes of a frame that is not whole yet.
  var partial = 0
  /// What waits to be sent; made by the first thing that is.
  var queue: ByteQueue?
  /// The next in the list of those that have something to do at the end of the turn.
  var nextBusy: Int32 = -1
  var isBusy = false
  /// Whether the kernel's buffer had no room for all of the queue.
  var awaitsRoom = false
  /// Whether epoll watches for that room.
  var isWatchedForRoom = false
  /// Video waits until the queue is nearly empty.
  var isStalled = false
  /// To be closed at the end of the turn.
  var isOver = false

  init(descriptor: Int32, address: TransportAddress, deadline: Instant) {
    self.descriptor = descriptor
    self.address = address
    self.deadline = deadline
  }

  var isProven: Bool { transport >= 0 }
}
