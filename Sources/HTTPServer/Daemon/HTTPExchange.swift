import RoomCMicroHTTPD
import RoomLinux
import Synchronization

/// One request in libmicrohttpd, from its first header to its response.
///
/// The library makes calls for one connection from one thread at a time. Only `response` is written from elsewhere, while the
/// connection is suspended.
final class HTTPExchange {
  enum Stage {
    /// The body is being read; then the endpoint is called.
    case reading(Endpoint, parameters: [String])
    /// The endpoint reads the body while it arrives, and has begun to.
    case receiving(BodyReception)
    /// Already rejected; the rest of the body is read and discarded.
    case refused(HTTPResponse)
    /// The connection is suspended until `response` is set.
    case answering
    case answered
  }

  var stage: Stage
  var request: HTTPRequest
  /// Bytes of the body so far, including discarded ones.
  var bodyBytes: Int64 = 0
  /// Bytes of the body that came after its endpoint's answer.
  var unreadBytes: Int64 = 0
  /// Whether it was rejected because of its framing: the rest of its connection is not read.
  var isUnreadable = false
  /// Whether the daemon counts it as open.
  var isOpen = false
  /// The maximum number of body bytes that are kept.
  let limit: Int64
  let response = Guarded<HTTPResponse?>(nil)
  /// Counts the signalling socket that this request becomes, until the upgrade.
  var clientReservation: ConnectionsPerAddress.Reservation?
  /// Kept while the request may have a large body.
  private let reservation: LargeBodies.Reservation?

  init(_ request: HTTPRequest, stage: Stage, limit: Int64 = 0, reservation: LargeBodies.Reservation? = nil) {
    self.request = request
    self.stage = stage
    self.limit = limit
    self.reservation = reservation
  }
}

extension HTTPExchange {
  /// The body's length according to the client; 0 if it gives none.
  var declaredBody: Int64 { request.declaredBody ?? 0 }

  /// The response before the body is read, if the body is too long to be read to its end, or its end is unknown.
  var refusalWithoutBody: HTTPResponse? {
    guard case .refused(let response) = stage, isUnreadable || declaredBody > HTTPDaemon.drainedBytes else { return nil }
    return response
  }
}

/// Limits the requests with a larger body than the default limit that are read at once.
final class LargeBodies: Sendable {
  private static let limit = 16
  private let count = Mutex(0)

  /// Counts one such request, until it is released.
  final class Reservation: Sendable {
    private let bodies: LargeBodies

    fileprivate init(_ bodies: LargeBodies) { self.bodies = bodies }

    deinit { bodies.count.withLock { $0 -= 1 } }
  }

  /// Returns nil if there are too many.
  func enter() -> Reservation? {
    let isFree = count.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    return isFree ? Reservation(self) : nil
  }
}
