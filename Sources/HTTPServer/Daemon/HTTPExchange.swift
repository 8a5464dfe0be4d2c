import CMicroHTTPD
import NIOConcurrencyHelpers

/// One request on its way through libmicrohttpd, from its first header to its response.
///
/// The library calls for one connection from one thread at a time; only `response` is written from elsewhere, while the
/// connection is suspended.
final class HTTPExchange {
  enum Stage {
    /// The body is read and kept; then the endpoint is asked.
    case reading(Endpoint, parameters: [String])
    /// Already refused; what is left of the body is read and thrown away.
    case refused(HTTPResponse)
    /// The connection is suspended until `response` is there.
    case answering
    case answered
  }

  var stage: Stage
  var request: HTTPRequest
  /// Bytes of the body so far, those thrown away too.
  var bodyBytes = 0
  /// Whether it was refused for how it is sent: what follows on its connection is not read.
  var isUnreadable = false
  /// Whether the daemon counts it as open.
  var isOpen = false
  /// Bytes that are kept of it at most.
  let limit: Int
  let response = NIOLockedValueBox<HTTPResponse?>(nil)
  /// The place of the signalling socket that this becomes, until it is one.
  var clientPlace: ConnectionsPerAddress.Place?
  /// Held while it may keep more than others.
  private let place: LargeBodies.Place?

  init(_ request: HTTPRequest, stage: Stage, limit: Int = 0, place: LargeBodies.Place? = nil) {
    self.request = request
    self.stage = stage
    self.limit = limit
    self.place = place
  }
}

extension HTTPExchange {
  /// The body's length by the client's own word; 0 if it gives none.
  var declaredBody: Int { request.header("content-length").flatMap { Int($0) } ?? 0 }

  /// What is answered before the body is read, if it is too long to be read to its end, or nobody knows where it ends.
  var refusalWithoutBody: HTTPResponse? {
    guard case .refused(let response) = stage, isUnreadable || declaredBody > HTTPDaemon.drainedBytes else { return nil }
    return response
  }
}

/// How many requests with a larger body than usual are read at once.
final class LargeBodies: Sendable {
  private static let limit = 16
  private let count = NIOLockedValueBox(0)

  /// One of them, until it is let go.
  final class Place: Sendable {
    private let bodies: LargeBodies

    fileprivate init(_ bodies: LargeBodies) { self.bodies = bodies }

    deinit { bodies.count.withLockedValue { $0 -= 1 } }
  }

  /// Nil where there are too many.
  func enter() -> Place? {
    let isFree = count.withLockedValue { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}
