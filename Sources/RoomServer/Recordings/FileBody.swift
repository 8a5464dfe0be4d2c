import Glibc
import NIOPosix
import RoomHTTPServer
import Synchronization

/// Sends a part of a file. Other threads read one block ahead, so that the daemon's threads never wait for a disk.
final class FileBody: HTTPBodyStream {
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

  /// Bytes that are read at once.
  private static let blockSize: Int64 = 128 << 10

  private let descriptor: CInt
  private let end: Int64
  private let pool: NIOThreadPool
  private let ended: @Sendable (FileBody) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - descriptor: the open file; closed at the end.
  ///   - ended: called once when the connection no longer needs the body.
  init(_ descriptor: CInt, _ range: Range<Int64>, pool: NIOThreadPool, ended: @escaping @Sendable (FileBody) -> Void) {
    self.descriptor = descriptor
    self.pool = pool
    self.ended = ended
    end = range.upperBound
    state = Mutex(State(offset: range.lowerBound))
  }

  deinit { close(descriptor) }

  func read(into memory: UnsafeMutableRawBufferPointer, suspend: () -> SuspendedConnection) -> Int? {
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

  func finished() {
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
    let (offset, count) = (state.offset, Int(min(Self.blockSize, end - state.offset)))
    // The closure is called even if the pool is stopped.
    pool.submit { _ in self.read(count, at: offset) }
  }

  private func read(_ count: Int, at offset: Int64) {
    let block = [UInt8](unsafeUninitializedCapacity: count) { memory, read in
      repeat { read = pread(descriptor, memory.baseAddress, count, off_t(offset)) } while read < 0 && errno == EINTR
      read = max(0, read)
    }
    let waiting = state.withLock { state in
      state.isReading = false
      state.offset += Int64(block.count)
      if block.isEmpty { state.isOver = true } else { state.ahead = block }
      return state.waiting.take()
    }
    waiting?.resume()
  }
}
