import Glibc
import NIOPosix
import RoomHTTPServer
import Synchronization

/// What a ``BlockBody`` sends.
package protocol BlockSource: AnyObject, Sendable {
  /// Bytes that are read at once.
  var blockSize: Int64 { get }
  /// Reads bytes and passes them on later, from another thread, once. None mean that there are no more.
  func read(_ range: Range<Int64>, then: @escaping @Sendable ([UInt8]) -> Void)
}

/// Sends a part of a file. The source reads one block ahead, so that the daemon's threads never wait for a disk or another server.
package final class BlockBody: HTTPBodyStream {
  private struct State {
    /// The block that is being sent, and the bytes of it that are sent.
    var block: [UInt8] = []
    var sent = 0
    var ahead: [UInt8]?
    /// The offset of the next block.
    var offset: Int64
    var isReading = false
    var isOver = false
    /// The connection that waits for the next block.
    var waiting: SuspendedConnection?

    /// Copies what is there. Returns the number of bytes.
    mutating func copy(to memory: UnsafeMutableRawBufferPointer) -> Int {
      if sent == block.count, let next = ahead {
        (block, sent, ahead) = (next, 0, nil)
      }
      let part = block[sent..<min(block.count, sent + memory.count)]
      memory.copyBytes(from: part)
      sent += part.count
      return part.count
    }
  }

  private let source: any BlockSource
  private let end: Int64
  private let ended: @Sendable (BlockBody) -> Void
  private let state: Mutex<State>

  /// - Parameter ended: called once when the connection no longer needs the body.
  init(_ source: any BlockSource, _ range: Range<Int64>, ended: @escaping @Sendable (BlockBody) -> Void) {
    self.source = source
    self.ended = ended
    end = range.upperBound
    state = Mutex(State(offset: range.lowerBound))
  }

  package func read(into memory: UnsafeMutableRawBufferPointer, suspend: () -> SuspendedConnection) -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let count = state.copy(to: memory)
      readAhead(&state)
      if count > 0 { return count }
      // The end, which the daemon knows from the length, or a file that became shorter.
      guard state.isReading else { return nil }
      state.waiting = suspend()
      return 0
    }
  }

  package func finished() {
    stop()
    ended(self)
  }

  /// Ends the body. Its connection is closed if it was not sent completely.
  func stop() {
    let waiting = state.withLock { state in
      state.isOver = true
      return state.waiting.take()
    }
    waiting?.resume()
  }

  private func readAhead(_ state: inout State) {
    guard !state.isReading, !state.isOver, state.ahead == nil, state.offset < end else { return }
    state.isReading = true
    let next = state.offset..<min(end, state.offset + source.blockSize)
    source.read(next) { block in self.take(block) }
  }

  private func take(_ block: [UInt8]) {
    let waiting = state.withLock { state in
      state.isReading = false
      state.offset += Int64(block.count)
      if block.isEmpty { state.isOver = true } else { state.ahead = block }
      return state.waiting.take()
    }
    waiting?.resume()
  }
}

/// The blocks of an open file, which threads of a pool read.
final class FileBlocks: BlockSource {
  private let descriptor: CInt
  private let pool: NIOThreadPool

  /// - Parameter descriptor: the open file; closed at the end.
  init(_ descriptor: CInt, pool: NIOThreadPool) { (self.descriptor, self.pool) = (descriptor, pool) }

  deinit { close(descriptor) }

  var blockSize: Int64 { 128 << 10 }

  func read(_ range: Range<Int64>, then: @escaping @Sendable ([UInt8]) -> Void) {
    // The closure is called even if the pool is stopped.
    pool.submit { _ in
      then(
        [UInt8](unsafeUninitializedCapacity: range.count) { memory, read in
          repeat {
            read = pread(self.descriptor, memory.baseAddress, range.count, off_t(range.lowerBound))
          } while read < 0 && errno == EINTR
          read = max(0, read)
        })
    }
  }
}
