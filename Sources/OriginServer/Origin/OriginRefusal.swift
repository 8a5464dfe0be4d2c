import LiveOrigin
import RoomToken

/// Why the origin refused somebody, with a sentence for who reads the log or sees the error.
package struct OriginRefusal: Error, Sendable {
  /// A stable word for counters.
  package enum Reason: String, Sendable, CaseIterable {
    /// Application or stream have a name that no path has.
    case name
    /// Nobody publishes it.
    case noStream = "no_stream"
    /// Somebody publishes it already.
    case inUse = "in_use"
    /// The server has as many streams as it may.
    case streams
    /// The stream, or the server, has as many viewers as it may.
    case viewers
    /// The server has as many RTMP connections as it may.
    case connections
    /// The client's address has as many RTMP connections as it may.
    case address
    /// Room had to be made for others before the client said what it wanted.
    case silent
    /// Neither a token nor a signature.
    case unsigned
    /// A token that does not open this.
    case token
    /// A signature that is missing, wrong or expired.
    case signature
    /// The room does not take the stream: it is full, or its user comes too often.
    case room
    /// The server cuts as many streams for HLS as it may.
    case hls
    /// The server makes as many variants as it may.
    case variants
    /// The server is stopping.
    case stopping
  }

  package let reason: Reason
  package let sentence: String

  package init(_ reason: Reason, _ sentence: String) {
    self.reason = reason
    self.sentence = sentence
  }

  init(_ refusal: PublishRefusal, _ path: StreamPath) {
    switch refusal {
    case .inUse: self.init(.inUse, "\(path) is being published already")
    case .tooManyStreams: self.init(.streams, "the server has as many streams as it may")
    }
  }

  init(_ refusal: HotlinkRefusal) {
    let sentence =
      switch refusal {
      case .missing: "the URL has to be signed with wsSecret and wsTime"
      case .malformed: "wsTime is no time in hexadecimal"
      case .wrongSecret: "wsSecret does not fit this path and time"
      case .expired: "the signed URL has expired"
      }
    self.init(.signature, sentence)
  }

  init(_ error: TokenError) { self.init(.token, error.description) }

  static func notFound(_ path: StreamPath) -> OriginRefusal { OriginRefusal(.noStream, "nobody publishes \(path)") }

  /// The status that HTTP answers with.
  var status: Int {
    switch reason {
    case .name, .noStream: 404
    case .inUse: 409
    case .unsigned, .token, .signature: 403
    case .streams, .viewers, .connections, .address, .silent, .room, .hls, .variants, .stopping: 503
    }
  }
}
