import Glibc
import NIOPosix
import RoomHTTPServer
import Synchronization

/// The files that are being sent: a limited number.
package final class Downloads: Sendable {
  private struct State {
    /// Created with the first download.
    var pool: NIOThreadPool?
    var bodies: [ObjectIdentifier: BlockBody] = [:]
    var isStopping = false

    mutating func usedPool() -> NIOThreadPool {
      if let pool { return pool }
      let new = NIOThreadPool(numberOfThreads: 2)
      new.start()
      pool = new
      return new
    }
  }

  /// Each has two blocks in memory.
  private static let limit = 256
  private let state = Mutex(State())

  /// The answer to a request that is one too many.
  package static let tooMany = HTTPResponse.error(
    503, HTTPError.badRequest("too many downloads at once; try again"), headers: [("Retry-After", "5")])

  /// Returns a body of a part of a file; nil if too many are being sent, or the server is stopping.
  /// - Parameter descriptor: the open file, closed in any case.
  func body(_ descriptor: CInt, _ range: Range<Int64>) -> BlockBody? {
    state.withLock { state in
      guard !state.isStopping else {
        close(descriptor)
        return nil
      }
      // Freed if it is refused, with its descriptor.
      let blocks = FileBlocks(descriptor, pool: state.usedPool())
      return body(blocks, range, &state)
    }
  }

  /// Returns a body of a part of what a source has; nil if too many are being sent, or the server is stopping.
  package func body(_ source: any BlockSource, _ range: Range<Int64>) -> BlockBody? {
    state.withLock { body(source, range, &$0) }
  }

  private func body(_ source: any BlockSource, _ range: Range<Int64>, _ state: inout State) -> BlockBody? {
    guard !state.isStopping, state.bodies.count < Self.limit else { return nil }
    let body = BlockBody(source, range) { [weak self] body in
      self?.state.withLock { _ = $0.bodies.removeValue(forKey: ObjectIdentifier(body)) }
    }
    state.bodies[ObjectIdentifier(body)] = body
    return body
  }

  var count: Int { state.withLock { $0.bodies.count } }

  /// Ends all bodies, so that no connection is suspended.
  func stop() async {
    let (bodies, pool) = state.withLock { state in
      state.isStopping = true
      return (Array(state.bodies.values), state.pool.take())
    }
    for body in bodies { body.stop() }
    try? await pool?.shutdownGracefully()
  }

  /// Runs a blocking call on the threads that read.
  /// - Throws: what the call throws, or `CancellationError` if the server is stopping.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let pool = state.withLock { $0.isStopping ? nil : $0.usedPool() }
    guard let pool else { throw CancellationError() }
    return try await pool.runIfActive(body)
  }
}
