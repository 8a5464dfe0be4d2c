import RoomHTTPServer
import RoomLiveOrigin
import RoomRTMP

/// What an HTTP-FLV response states about the media that follows: in its header (FLV 10.1 §E.2), and in `onMetaData` by `hasAudio`
/// and `hasVideo`, which mpegts.js and flv.js prefer to the header.
enum FLVBeginning {
  /// Exactly these kinds.
  case kinds(MediaKinds)
  /// Both kinds may follow. The metadata is the publisher's.
  case anything

  /// Returns whether a response begins with the kept past. libavformat, in ffmpeg and mpv, reads five seconds of an FLV stream with
  /// one kind of media before it shows anything; it then plays as far behind as if it had waited for them.
  static func wantsPast(_ request: HTTPRequest, _ kinds: MediaKinds?) -> Bool {
    guard let kinds, kinds != [.audio, .video], let agent = request.header("user-agent") else { return false }
    return agent.hasPrefix("Lavf/") || agent.hasPrefix("libmpv")
  }

  /// The header of the response.
  var header: [UInt8] {
    switch self {
    case .kinds(let kinds): FLVStream.header(hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video))
    case .anything: FLVStream.header(hasAudio: true, hasVideo: true)
    }
  }

  /// Returns a message as a tag; metadata with the two properties.
  func tag(of media: LiveMedia) -> [UInt8] {
    guard case .kinds(let kinds) = self, var properties = StreamMetadata.properties(of: media.media) else { return media.tag }
    properties["hasAudio"] = .boolean(kinds.contains(.audio))
    properties["hasVideo"] = .boolean(kinds.contains(.video))
    return FLVStream.tag(StreamMetadata.message(properties, timestamp: media.media.timestamp))
  }
}
