import Synchronization

/// Keeps freed picture buffers for the next frame of the same size.
///
/// Bounded: at most `maximumFreeBytes` are idle, in at most 16 different sizes. Buffers returned beyond that are freed. The
/// number of frames in use is limited by those who queue them.
public final class FramePool: Sendable {
  /// The default pool for frames. Keeps at most 64 MiB idle.
  public static let shared = FramePool(maximumFreeBytes: 64 << 20)

  private static let maximumSizes = 16
  private static let alignment = 64

  private struct Buffer: @unchecked Sendable {
    // An idle buffer has no other owner: the last one returned it and the next one removes it.
    let pointer: UnsafeMutableRawPointer
  }
  private struct State {
    var free: [Int: [Buffer]] = [:]
    var freeBytes = 0
  }

  /// The maximum number of idle bytes.
  public let maximumFreeBytes: Int
  private let state = Mutex(State())

  /// - Parameter maximumFreeBytes: The maximum number of idle bytes; 0 keeps none.
  public init(maximumFreeBytes: Int) { self.maximumFreeBytes = maximumFreeBytes }

  /// The number of idle bytes.
  public var freeBytes: Int { state.withLock { $0.freeBytes } }

  func take(byteCount: Int) -> UnsafeMutableRawPointer {
    let kept: Buffer? = state.withLock { state in
      guard let buffer = state.free[byteCount]?.popLast() else { return nil }
      state.freeBytes -= byteCount
      if state.free[byteCount]?.isEmpty == true { state.free[byteCount] = nil }
      return buffer
    }
    return kept?.pointer ?? .allocate(byteCount: byteCount, alignment: Self.alignment)
  }

  func recycle(_ pointer: UnsafeMutableRawPointer, byteCount: Int) {
    let buffer = Buffer(pointer: pointer)
    let kept = state.withLock { state in
      guard state.freeBytes + byteCount <= maximumFreeBytes else { return false }
      guard state.free[byteCount] != nil || state.free.count < Self.maximumSizes else { return false }
      state.free[byteCount, default: []].append(buffer)
      state.freeBytes += byteCount
      return true
    }
    if !kept { buffer.pointer.deallocate() }
  }

  deinit {
    for buffers in state.withLock({ $0.free.values }) {
      for buffer in buffers { buffer.pointer.deallocate() }
    }
  }
}
