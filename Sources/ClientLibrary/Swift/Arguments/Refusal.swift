import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomStreaming
import RoomStudio
import Synchronization

/// The failure of a function: its status and a sentence for `rc_last_error`.
struct Refusal: Error {
  var status: Int32
  var message: String

  init(_ status: Int, _ message: String) {
    self.status = Int32(clamping: status)
    self.message = message
  }

  /// The refusal of an argument.
  static func argument(_ name: String, _ problem: String) -> Refusal { Refusal(RC_INVALID_ARGUMENT, "\(name) \(problem)") }

  /// Translates any error that a call of the room throws.
  init(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let error as RoomError: self.init(error.code.rawValue, error.message)
    case let error as RoomClientError: self.init(Self.status(of: error), "\(error)")
    case is CancellationError: self.init(RC_CANCELLED, "the room was released")
    case let error as StreamingFailure: self.init(Self.status(of: error), "\(error)")
    case let error as StreamFailure: self.init(Self.status(of: error), "\(error)")
    case is LookupError: self.init(RC_FILE_FAILED, "\(error)")
    case CodecError.file, CodecError.corrupt: self.init(RC_FILE_FAILED, "\(error)")
    case is CodecError, is VideoLimitError: self.init(RC_CODEC_FAILED, "\(error)")
    case is DecodingError: self.init(RC_INVALID_JSON, "\(error)")
    default: self.init(RC_INTERNAL, "\(error)")
    }
  }

  private static func status(of error: RoomClientError) -> Int {
    switch error {
    case .invalidURL: RC_INVALID_URL
    case .connectFailed: RC_CONNECT_FAILED
    case .connectionLost: RC_CONNECTION_LOST
    case .timedOut: RC_TIMED_OUT
    case .closed: RC_CLOSED
    case .protocolViolation: RC_PROTOCOL_VIOLATION
    case .negotiationFailed: RC_NEGOTIATION_FAILED
    case .mediaFailed: RC_MEDIA_FAILED
    case .trackInUse: RC_TRACK_IN_USE
    case .trackUnknown: RC_TRACK_UNKNOWN
    case .cannotMove: RC_CANNOT_MOVE
    case .notAway: RC_NOT_AWAY
    }
  }

  private static func status(of failure: StreamingFailure) -> Int {
    switch failure {
    case .invalidURL: RC_INVALID_URL
    case .alreadyRunning: RC_ALREADY_RUNNING
    case .stopped: RC_CANCELLED
    case .expired: RC_URL_EXPIRED
    case .unauthorized: RC_UNAUTHORIZED
    case .rejected: RC_REJECTED
    case .nameNotFound: RC_NAME_NOT_FOUND
    case .unreachable: RC_CONNECT_FAILED
    case .tls: RC_TLS_FAILED
    case .protocolViolation: RC_PROTOCOL_VIOLATION
    case .timedOut: RC_TIMED_OUT
    case .connectionLost: RC_CONNECTION_LOST
    case .stalled: RC_STALLED
    case .encoder: RC_CODEC_FAILED
    }
  }

  private static func status(of failure: StreamFailure) -> Int {
    switch failure {
    case .invalidURL, .noURL: RC_INVALID_URL
    case .notFound, .unreadable, .unsupportedCodec: RC_STREAM_FAILED
    case .forbidden: RC_UNAUTHORIZED
    case .refused: RC_REJECTED
    case .connectFailed: RC_CONNECT_FAILED
    case .connectionLost: RC_CONNECTION_LOST
    case .timedOut: RC_TIMED_OUT
    }
  }
}

/// Runs the body of a function. Keeps the message of a failure for `rc_last_error`, and returns its status.
func attempt(_ body: () throws -> Void) -> rc_status {
  do {
    try body()
    return rc_status(RC_OK)
  } catch {
    let refusal = Refusal(error)
    rc_set_last_error(refusal.message)
    return refusal.status
  }
}
