import RoomCClient
import RoomClient
import Synchronization

/// The names of the library's own statuses. The statuses of the server are in `ErrorCode`.
private let names: [Int: String] = [
  RC_OK: "ok", RC_INVALID_ARGUMENT: "invalidArgument", RC_INVALID_HANDLE: "invalidHandle", RC_INVALID_JSON: "invalidJSON",
  RC_BUSY: "busy", RC_NOT_CONNECTED: "notConnected", RC_CLOSED: "closed", RC_CANCELLED: "cancelled",
  RC_INVALID_URL: "invalidURL", RC_CONNECT_FAILED: "connectFailed", RC_CONNECTION_LOST: "connectionLost",
  RC_TIMED_OUT: "timedOut", RC_PROTOCOL_VIOLATION: "protocolViolation", RC_NEGOTIATION_FAILED: "negotiationFailed",
  RC_MEDIA_FAILED: "mediaFailed", RC_TRACK_IN_USE: "trackInUse", RC_TRACK_UNKNOWN: "trackUnknown",
  RC_CANNOT_MOVE: "cannotMove", RC_NOT_AWAY: "notAway", RC_CODEC_FAILED: "codecFailed", RC_DROPPED: "dropped",
  RC_NAME_NOT_FOUND: "nameNotFound", RC_TLS_FAILED: "tlsFailed", RC_URL_EXPIRED: "urlExpired",
  RC_UNAUTHORIZED: "unauthorized", RC_REJECTED: "rejected", RC_ALREADY_RUNNING: "alreadyRunning", RC_STALLED: "stalled",
  RC_STREAM_FAILED: "streamFailed", RC_FILE_FAILED: "fileFailed",
  RC_INTERNAL: "internal",
]

/// The addresses of the names that were asked for, which stay valid. At most one for each name.
private let texts = Mutex<[String: UInt]>([:])

@c @implementation
public func rc_status_name(_ status: rc_status) -> UnsafePointer<CChar> {
  let name = names[Int(status)] ?? ErrorCode(rawValue: Int(status)).name
  return texts.withLock { texts in
    if let known = texts[name].flatMap({ UnsafePointer<CChar>(bitPattern: $0) }) { return known }
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in (Array(name.utf8) + [0]).enumerated() { text[index] = CChar(bitPattern: byte) }
    texts[name] = UInt(bitPattern: text)
    return UnsafePointer(text)
  }
}
