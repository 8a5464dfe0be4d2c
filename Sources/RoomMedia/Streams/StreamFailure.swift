import RoomClient
import RoomProtocol

/// Why a live stream cannot be played. New versions of the library may add cases, so a `switch` should have a `default`.
public enum StreamFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is none that a ``StreamPlayer`` plays: `rtmp://`, `rtmps://`, or `http(s)://` with FLV. The text is the URL without
  /// its query.
  case invalidURL(String)
  /// The room has no URL of this kind. The text says which one is missing.
  case noURL(String)
  /// The server has no such stream. The text is the server's answer.
  case notFound(String)
  /// The HTTP server does not permit playing: the signature of the URL is missing, wrong or expired. The text is its answer.
  case forbidden(String)
  /// The server refused for another reason, or an RTMP server for any but the stream's absence. The text is its answer.
  case refused(String)
  /// No connection could be made.
  case connectFailed(ConnectFailure)
  /// The connection was lost. The text is the cause.
  case connectionLost(String)
  /// No media arrived in time.
  case timedOut
  /// The bytes are not a stream in RTMP or FLV. The text is the cause.
  case unreadable(String)
  /// The stream has a codec for which there is no decoder. The text is its name.
  case unsupportedCodec(String)

  /// The stable code: 80204 if no URL can be played, 80203 if the stream cannot be received.
  public var code: ErrorCode {
    switch self {
    case .invalidURL, .noURL: .cdnParameters
    default: .cdnSubscribeFailed
    }
  }

  /// A sentence that describes the failure.
  public var description: String {
    switch self {
    case .invalidURL(let url): "not an rtmp, rtmps or FLV URL: \(url)"
    case .noURL(let what): "the room has no URL to play: \(what)"
    case .notFound(let answer): "there is no such stream: \(answer)"
    case .forbidden(let answer): "playing the stream is not permitted: \(answer)"
    case .refused(let answer): "the server refused to play the stream: \(answer)"
    case .connectFailed(let cause): "could not connect: \(cause)"
    case .connectionLost(let cause): "the connection was lost: \(cause)"
    case .timedOut: "no media arrived in time"
    case .unreadable(let cause): "the stream is not readable: \(cause)"
    case .unsupportedCodec(let name): "the codec \(name) cannot be decoded"
    }
  }

  /// Whether another try with the same URL cannot succeed.
  var isFinal: Bool {
    switch self {
    case .invalidURL, .noURL, .unsupportedCodec: true
    default: false
    }
  }

  /// Whether the server answered and refused.
  var isRefusal: Bool {
    switch self {
    case .notFound, .forbidden, .refused: true
    default: false
    }
  }
}
