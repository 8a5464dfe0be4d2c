import RoomCodecs
import RoomLiveOrigin

// What the origin has, for the API, the history and watch pages.

extension Origin {
  /// A stream and its statistics, as listed by the API.
  package struct Listed: Sendable {
    package var path: StreamPath
    var hub: StreamHub
    package var publish: OriginStream.Publish?
    package var viewers: [ViewingProtocol: Int]
    package var kilobits: Int
  }

  /// All streams, sorted by path.
  package var list: [Listed] {
    let now = Self.now()
    let known = entries
    return streams.map { path, hub in
      let stream = known[path]
      return Listed(
        path: path, hub: hub, publish: stream?.publish,
        viewers: Dictionary(uniqueKeysWithValues: ViewingProtocol.allCases.map { ($0, stream?.viewers($0) ?? 0) }),
        kilobits: stream?.kilobits(now: now) ?? 0)
    }
  }

  /// The number of people who watch here, by stream, without those of other servers and variants.
  package var audienceHere: [StreamPath: Int] { entries.mapValues(\.audienceHere).filter { $0.value > 0 } }

  /// Sets the number of people who watch streams of this server at other ones: all of them at once.
  package func watched(elsewhere counts: [StreamPath: Int]) {
    for (path, stream) in entries { stream.watched(elsewhere: counts[path] ?? 0) }
  }

  /// The number of viewers of each stream, with those of its variants, here and at other servers.
  package var audience: [StreamPath: Int] {
    var audience: [StreamPath: Int] = [:]
    for (path, stream) in entries {
      let viewers = stream.audience
      guard viewers > 0 else { continue }
      audience[path, default: 0] += viewers
      if let original = path.variantSource { audience[original, default: 0] += viewers }
    }
    return audience
  }

  /// Returns a stream that is published or waits for its publisher to reconnect; nil if there is none.
  package func shape(of path: StreamPath) -> StreamShape? {
    guard let hub = known(path) else { return nil }
    let stream = entry(at: path)
    let viewers = variants(of: path).reduce(stream?.audience ?? 0) { $0 + $1.audience }
    return StreamShape(hub, viewers: viewers)
  }

  /// Returns the newest key frame of a stream; nil if there is none. Decoding takes some milliseconds.
  package func stillPicture(of path: StreamPath) -> VideoFrame? { known(path)?.stillPicture() }
}

extension StreamPath {
  /// The stream that this is a variant of; nil if it is not a variant.
  package var variantSource: StreamPath? { StreamVariant(stream).flatMap { StreamPath(app: app, stream: $0.source) } }
}
