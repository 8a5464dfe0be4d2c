import RoomLiveOrigin
import RoomProtocol

/// The addresses at which an audience reaches this server, and the key that signs its play URLs.
package struct PlayAddresses: Sendable {
  /// The base URL of HTTP without a slash at its end: "https://live.example.org".
  package var http: String
  /// The base URL of RTMP without a slash at its end; nil if RTMP is off.
  package var rtmp: String?
  package var protection: HotlinkProtection

  package init(http: String = "", rtmp: String? = nil, protection: HotlinkProtection = HotlinkProtection()) {
    self.http = http
    self.rtmp = rtmp
    self.protection = protection
  }

  /// The application of the stream that a room is expected to publish while it has no job.
  package static let app = "live"

  /// Returns the play URLs of a room.
  /// - Parameters:
  ///   - stream: the stream that the room's jobs publish to the origin; nil for `live/{room}`.
  ///   - picture: the variant of `rtmp`, `flv` and `hls`; nil for the stream as it is published.
  ///   - host: the user for `{user}` in the URLs of other servers; without one, URLs with `{user}` are omitted.
  ///   - unixTime: the time of signing in seconds since 1970.
  package func urls(
    of room: RoomName, stream: StreamPath?, picture: StreamVariant.Picture? = nil, push: PushPolicy, host: UserID?,
    unixTime: Int64
  ) -> PlayURLs {
    let name = room.rawValue
    var urls = PlayURLs(watch: "\(http)/watch/\(name)", whep: "\(http)/whep/\(name)")
    urls.others = push.playUrls(room: room, user: host)
    let source = stream ?? StreamPath(app: Self.app, stream: name)
    let path = source.flatMap { source in
      picture.map { StreamPath(app: source.app, stream: $0.name(of: source.stream)) } ?? source
    }
    if let path { add(path, to: &urls, unixTime) }
    return urls
  }

  /// Returns the play URLs of a stream of the origin; the watch page's is signed as well.
  package func urls(of path: StreamPath, unixTime: Int64) -> PlayURLs {
    var urls = PlayURLs(watch: http + signed("/watch\(path)", unixTime))
    add(path, to: &urls, unixTime)
    return urls
  }

  private func add(_ path: StreamPath, to urls: inout PlayURLs, _ unixTime: Int64) {
    urls.rtmp = rtmp.map { $0 + signed("\(path)", unixTime) }
    urls.flv = http + signed("\(path).flv", unixTime)
    urls.hls = http + signed("\(path).m3u8", unixTime)
    urls.expiresAt = protection.play.map { (unixTime + $0.validity) * 1000 }
  }

  /// Returns a path with its signature, if play URLs need one.
  package func signed(_ path: String, _ unixTime: Int64) -> String {
    protection.query(path: path, for: .play, unixTime: unixTime).map { "\(path)?\($0)" } ?? path
  }
}

extension [JobInfo] {
  /// The stream for viewers without WebRTC while the room has no live; nil if there is none.
  package var program: StreamPath? { first { $0.jobId == .watch }?.stream.flatMap { StreamPath($0) } }

  /// The stream of the origin on which one of the jobs is on air: the one named like the room if there is one.
  package func stream(of room: RoomName) -> StreamPath? {
    let paths = compactMap { job -> StreamPath? in
      job.onAir == false || job.jobId == .watch ? nil : job.stream.flatMap { StreamPath($0) }
    }
    return paths.first { $0.stream == room.rawValue } ?? paths.first
  }
}
