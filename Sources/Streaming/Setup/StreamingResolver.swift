import NIOCore

/// Resolves host names in place of the system's resolver.
public struct StreamingResolver: Sendable {
  /// The longest time that an app may take.
  private static let patience = Duration.seconds(5)

  private let resolve: @Sendable (String) async throws -> [String]

  /// - Parameter resolve: returns the numeric IPv4 and IPv6 addresses of a host, at most 8 of which are used, or throws. The
  ///   closure has 5 s.
  public init(_ resolve: @escaping @Sendable (_ host: String) async throws -> [String]) { self.resolve = resolve }

  /// - Throws: ``StreamingFailure/nameNotFound(_:)`` without an address.
  func addresses(of host: String, port: UInt16) async throws(StreamingFailure) -> [SocketAddress] {
    // Not a task group, which would wait for a closure that ignores its cancellation.
    let (answers, answer) = AsyncStream.makeStream(of: [String].self)
    let asking = Task { [resolve] in _ = answer.yield((try? await resolve(host)) ?? []) }
    let timer = Task {
      try? await Task.sleep(for: Self.patience)
      answer.finish()
    }
    defer { for task in [asking, timer] { task.cancel() } }
    var iterator = answers.makeAsyncIterator()
    let texts = await iterator.next() ?? []
    let addresses = texts.prefix(8).compactMap { try? SocketAddress(ipAddress: $0, port: Int(port)) }
    guard !addresses.isEmpty else { throw .nameNotFound(host) }
    return addresses
  }
}
