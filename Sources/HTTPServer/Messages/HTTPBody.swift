/// The body of a request, while it arrives: its bytes in order, in parts of any size. One task reads it, once.
///
/// The daemon does not read a connection while enough bytes wait, so a slow reader slows its client down. The body may be left
/// unread; the answer then counts, and the rest is discarded.
package struct HTTPBody: AsyncSequence, Sendable {
  package typealias Element = [UInt8]

  private let part: @Sendable () async throws(HTTPBodyCut) -> [UInt8]?

  /// - Parameter next: returns the bytes that have arrived, at least one; nil at the end.
  package init(next part: @escaping @Sendable () async throws(HTTPBodyCut) -> [UInt8]?) { self.part = part }

  package struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let part: @Sendable () async throws(HTTPBodyCut) -> [UInt8]?

    /// Returns the bytes that have arrived, at least one; nil at the end of the complete body.
    /// - Throws: ``HTTPBodyCut`` if the body ends before it is complete.
    package func next() async throws(HTTPBodyCut) -> [UInt8]? { try await part() }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(part: part) }
}

/// Why a body ended before it was complete.
package enum HTTPBodyCut: Error, Sendable {
  /// The client left, was too slow, or the server stops. No answer reaches the client.
  case connection
  /// The body is longer than its endpoint allows. The daemon answers 413.
  case limit
}
