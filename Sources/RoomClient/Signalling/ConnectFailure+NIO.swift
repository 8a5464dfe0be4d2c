import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
internal import RoomTLS

extension ConnectFailure {
  /// Creates the failure for an error of NIO.
  package init(_ error: any Error) {
    switch error {
    case let failure as ConnectFailure: self = failure
    case let error as NIOConnectionError: self.init(error)
    default: self.init(Self.kind(of: error), cause: String(describing: error))
    }
  }

  private init(_ error: NIOConnectionError) {
    let kinds = error.connectionErrors.map { Self.kind(of: $0.error) }
    // Of several addresses one may be of an unusable family; a refusal says more.
    let kind = kinds.first { $0 == .refused } ?? kinds.first { $0 == .timedOut } ?? kinds.first
    self.init(kind ?? .nameNotFound, cause: String(describing: error))
  }

  private static func kind(of error: any Error) -> Kind {
    switch error {
    case is SocketAddressError: .nameNotFound
    case let error as IOError: kind(ofCode: error.errnoCode)
    case ChannelError.connectTimeout: .timedOut
    case TLSError.untrusted: .untrustedCertificate
    case TLSError.truncated: .closed
    case is TLSError: .tls
    case is ChannelError, is HTTPParserError: .closed
    default: .other
    }
  }

  private static func kind(ofCode code: CInt) -> Kind {
    switch code {
    case ECONNREFUSED: .refused
    case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
    case ETIMEDOUT: .timedOut
    case ECONNRESET, EPIPE: .closed
    default: .other
    }
  }
}
