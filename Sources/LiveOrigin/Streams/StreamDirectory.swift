import RTP
import Synchronization

/// Why a stream may not be published.
public enum PublishRefusal: Error, Sendable, Hashable {
  /// Somebody publishes it already.
  case inUse
  /// The server has as many streams as it may.
  case tooManyStreams
}

/// All live streams of a server by their paths, with one publisher each. May be used from any thread.
///
/// A stream whose publisher is gone stays for a while, so that its viewers need not begin again where it comes back.
public final class StreamDirectory: Sendable {
  /// The right to publish one stream, given once.
  public struct Publication: Sendable {
    public let path: StreamPath
    public let hub: StreamHub
    fileprivate let number: Int
  }

  private struct Entry {
    let hub: StreamHub
    /// The publication that is under way.
    var number: Int?
    /// When the last one ended.
    var ended: Instant
  }

  private struct State {
    var entries: [StreamPath: Entry] = [:]
    var lastNumber = 0
  }

  private let limit: Int
  private let linger: Int64
  private let hubLimits: StreamHub.Limits
  private let state = Mutex(State())

  /// A directory of at most `streams`; the linger is the time in microseconds for which a stream waits for its publisher.
  public init(streams: Int = 1000, linger: Int64 = 20_000_000, hubLimits: StreamHub.Limits = .init()) {
    limit = streams
    self.linger = linger
    self.hubLimits = hubLimits
  }

  /// Gives the right to publish a stream, which its viewers may be waiting for.
  public func publish(_ path: StreamPath, now: Instant) throws(PublishRefusal) -> Publication {
    let result = state.withLock { state -> Result<Publication, PublishRefusal> in
      var entry = state.entries[path] ?? Entry(hub: StreamHub(limits: hubLimits), ended: now)
      guard entry.number == nil else { return .failure(.inUse) }
      guard state.entries[path] != nil || state.entries.count < limit else { return .failure(.tooManyStreams) }
      state.lastNumber += 1
      entry.number = state.lastNumber
      state.entries[path] = entry
      return .success(Publication(path: path, hub: entry.hub, number: state.lastNumber))
    }
    let publication = try result.get()
    publication.hub.beginPublish()
    return publication
  }

  /// Gives the right back. Nothing where it was given back before.
  public func end(_ publication: Publication, now: Instant) {
    let wasUnderWay = state.withLock { state in
      guard state.entries[publication.path]?.number == publication.number else { return false }
      state.entries[publication.path]?.number = nil
      state.entries[publication.path]?.ended = now
      return true
    }
    if wasUnderWay { publication.hub.endPublish() }
  }

  /// The stream at a path, published or waiting for its publisher; nil where there is none.
  public func stream(at path: StreamPath) -> StreamHub? { state.withLock { $0.entries[path]?.hub } }

  /// All streams, by path.
  public var streams: [(path: StreamPath, hub: StreamHub)] {
    let all = state.withLock { $0.entries.map { (path: $0.key, hub: $0.value.hub) } }
    return all.sorted { ($0.path.app, $0.path.stream) < ($1.path.app, $1.path.stream) }
  }

  /// When `advance` wants to be called; nil where nothing is waited for.
  public var deadline: Instant? {
    state.withLock { state in
      state.entries.values.compactMap { $0.number == nil ? $0.ended.advanced(microseconds: linger) : nil }.min()
    }
  }

  /// Ends the streams whose publishers did not come back.
  public func advance(to now: Instant) {
    let over = state.withLock { state in
      let over = state.entries.filter { $0.value.number == nil && now >= $0.value.ended.advanced(microseconds: linger) }
      for path in over.keys { state.entries[path] = nil }
      return over.values.map(\.hub)
    }
    for hub in over { hub.close() }
  }
}
