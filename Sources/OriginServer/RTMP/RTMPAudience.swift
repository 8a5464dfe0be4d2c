import RoomLiveOrigin
import NIOCore

/// The viewers of one stream on one event loop. After a publish the loop is woken once, for any number of viewers, and messages
/// that arrive within the gathering time are sent together.
final class RTMPAudience {
  let path: StreamPath
  var viewers = 0
  /// The viewers that have received everything so far.
  private var waiting: [RTMPConnection] = []
  private var served: [RTMPConnection] = []
  private var watch: Origin.Watch?

  /// Must be called on the loop.
  init(_ origin: Origin, _ path: StreamPath, _ loop: any EventLoop) {
    self.path = path
    let bound = NIOLoopBound(Weak(self), eventLoop: loop)
    let flag = WakeFlag()
    let gather = TimeAmount(origin.settings.gather)
    watch = origin.watch(path) {
      guard flag.raise() else { return }
      loop.scheduleTask(in: gather) {
        flag.lower()
        bound.value.audience?.wake()
      }
    }
  }

  private final class Weak {
    weak var audience: RTMPAudience?
    init(_ audience: RTMPAudience) { self.audience = audience }
  }

  /// Adds a viewer that has nothing to send until new media arrives.
  func wait(_ connection: RTMPConnection) { waiting.append(connection) }

  /// Removes a waiting viewer that has left.
  func forget(_ connection: RTMPConnection) { waiting.removeAll { $0 === connection } }

  private func wake() {
    // The two lists are swapped, so that neither is allocated again.
    swap(&waiting, &served)
    var shared: RTMPShare?
    for connection in served { connection.serve(self, &shared) }
    served.removeAll(keepingCapacity: true)
  }
}

/// The bytes that most viewers of an audience receive at one wakeup: one buffer that all their sockets share.
struct RTMPShare {
  let batch: LiveBatch
  let buffer: ByteBuffer

  init(_ batch: LiveBatch, chunkSize: Int) {
    self.batch = batch
    guard batch.media.count > 1 else {
      buffer = batch.media.first?.buffer(ofChunkSize: chunkSize) ?? ByteBuffer()
      return
    }
    let parts = batch.media.map { $0.buffer(ofChunkSize: chunkSize) }
    var whole = ByteBuffer()
    whole.reserveCapacity(parts.reduce(0) { $0 + $1.readableBytes })
    for part in parts { whole.writeImmutableBuffer(part) }
    buffer = whole
  }
}
