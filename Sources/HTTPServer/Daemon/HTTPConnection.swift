import RoomCGnuTLS
import RoomCMicroHTTPD
import Glibc
import RoomRTP
import Synchronization

/// The daemon's state of a TCP connection, as long as libmicrohttpd has it.
final class HTTPConnection: Sendable {
  /// Counts it among the connections from its address.
  private let reservation: Mutex<ConnectionsPerAddress.Reservation?>
  /// The certificate of its TLS session, which must outlive the session.
  private let certificate: ServerCertificate?
  private let socket: CInt
  private let deadline: Mutex<RequestDeadline>

  init(
    _ connection: OpaquePointer, reservation: ConnectionsPerAddress.Reservation?, certificate: ServerCertificate?,
    deadline: RequestDeadline
  ) {
    self.reservation = Mutex(reservation)
    self.certificate = certificate
    self.deadline = Mutex(deadline)
    socket = mhd_socket(connection)
    if let certificate, let session = mhd_tls_session(connection) { certificate.serve(gnutls_session_t(session)) }
  }

  func changeDeadline(_ change: (inout RequestDeadline) -> Void) { deadline.withLock { change(&$0) } }

  /// Returns what counts the connection among those from its address; the caller keeps it as long as the connection counts.
  func takeReservation() -> ConnectionsPerAddress.Reservation? { reservation.withLock { $0.take() } }

  /// Ends the connection if its request is overdue: the library then treats it as closed by its peer.
  fileprivate func end(ifOverdueAt now: Instant) -> Bool {
    // Under the lock, because the library writes to the socket once the request is complete.
    deadline.withLock { deadline in
      guard deadline.isOver(now) else { return false }
      deadline.requestReceived()
      return shutdown(socket, CInt(SHUT_RDWR)) == 0
    }
  }
}

/// The connections of a daemon.
final class HTTPConnections: Sendable {
  private let open = Mutex<[ObjectIdentifier: HTTPConnection]>([:])

  var count: Int { open.withLock { $0.count } }

  func add(_ connection: HTTPConnection) { open.withLock { $0[ObjectIdentifier(connection)] = connection } }

  /// Must be called before the library closes the socket, whose number may then be reused.
  func remove(_ connection: HTTPConnection) {
    _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  /// Ends the connections whose requests are overdue, and returns their number.
  func endOverdue(now: Instant) -> Int {
    // Under the lock, so that none of the sockets is closed meanwhile.
    open.withLock { $0.values.count { $0.end(ifOverdueAt: now) } }
  }
}
