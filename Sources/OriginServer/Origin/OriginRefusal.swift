import RoomLiveOrigin
import RoomToken

/// Why the origin rejected a client, with a message for the log and the client.
package struct OriginRefusal: Error, Sendable {
  /// A stable label for counters.
  package enum Reason: String, Sendable, CaseIterable {
    /// The name of the application or the stream is invalid.
    case name
    /// The stream has no publisher.
    case noStream = "no_stream"
    /// The stream already has a publisher.
    case inUse = "in_use"
    /// The server's limit of streams is reached.
    case streams
    /// The limit of viewers of the stream, or of the server, is reached.
    case viewers
    /// The server's limit of RTMP or SRT connections is reached.
    case connections
    /// The limit of RTMP or SRT connections from the client's address is reached.
    case address
    /// The client sent no request before its connection was closed in favour of a new one.
    case silent
    /// The request has neither a token nor a signature.
    case unsigned
    /// The token does not permit the request.
    case token
    /// The signature is missing, wrong or expired.
    case signature
    /// The room rejects the stream: it is full, or its user joins too often.
    case room
    /// The server's limit of HLS streams is reached.
    case hls
    /// Too many HLS requests wait for content.
    case waiting = "hls_waiting"
    /// The server's limit of variants is reached.
    case variants
    /// The cluster's registry of streams does not answer, or is asked for too many streams.
    case registry
    /// The server is stopping.
    case stopping
  }

  package let reason: Reason
  package let sentence: String

  package init(_ reason: Reason, _ sentence: String) {
    self.reason = reason
    self.sentence = sentence
  }

  /// The refusal of names that no stream can have.
  init(app: String, stream: String) {
    self.init(.name, "no stream can be called \"\(app.prefix(64))/\(stream.prefix(64))\"")
  }

  init(_ refusal: PublishRefusal, _ path: StreamPath) {
    switch refusal {
    case .inUse: self.init(.inUse, "\(path) is already being published")
    case .tooManyStreams: self.init(.streams, "the server's limit of streams is reached")
    }
  }

  init(_ refusal: HotlinkRefusal) {
    let sentence =
      switch refusal {
      case .missing: "the URL must be signed with wsSecret and wsTime"
      case .malformed: "wsTime is not a hexadecimal time"
      case .wrongSecret: "wsSecret does not match this path and time"
      case .expired: "the signed URL has expired"
      }
    self.init(.signature, sentence)
  }

  init(_ error: TokenError) { self.init(.token, error.description) }

  static func notFound(_ path: StreamPath) -> OriginRefusal { OriginRefusal(.noStream, "\(path) is not being published") }

  /// The HTTP status of the response.
  var status: Int {
    switch reason {
    case .name, .noStream: 404
    case .inUse: 409
    case .unsigned, .token, .signature: 403
    case .streams, .viewers, .connections, .address, .silent, .room, .hls, .waiting, .variants, .registry,
      .stopping:
      503
    }
  }
}
