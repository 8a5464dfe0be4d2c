import RoomRTP
import Synchronization

/// The reason why a stream cannot be published.
public enum PublishRefusal: Error, Sendable, Hashable {
  /// The stream already has a publisher.
  case inUse
  /// The server has reached its maximum number of streams.
  case tooManyStreams
}

/// All live streams of a server by path, with one publisher each. Thread-safe.
///
/// A stream without a publisher is kept for a while, so that its viewers can continue when the publisher returns.
public final class StreamDirectory: Sendable {
  /// The exclusive right to publish one stream.
  public struct Publication: Sendable {
    public let path: StreamPath
    public let hub: StreamHub
    fileprivate let number: Int
  }

  private struct Entry {
    let hub: StreamHub
    /// The number of the active publication.
    var number: Int?
    /// When the last publication ended.
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

  /// Creates a directory of at most `streams` streams. `linger` is how long a stream waits for its publisher, in µs.
  public init(streams: Int = 1000, linger: Int64 = 20_000_000, hubLimits: StreamHub.Limits = .init()) {
    limit = streams
    self.linger = linger
    self.hubLimits = hubLimits
  }

  /// Grants the right to publish a stream. The stream's viewers may already be waiting.
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

  /// Releases the right to publish. Has no effect if it was already released.
  public func end(_ publication: Publication, now: Instant) {
    let wasActive = state.withLock { state in
      guard state.entries[publication.path]?.number == publication.number else { return false }
      state.entries[publication.path]?.number = nil
      state.entries[publication.path]?.ended = now
      return true
    }
    if wasActive { publication.hub.endPublish() }
  }

  /// Ends a stream with its publication: it does not wait for another one. Has no effect if the right was already released.
  public func close(_ publication: Publication) {
    let wasActive = state.withLock { state in
      guard state.entries[publication.path]?.number == publication.number else { return false }
      state.entries[publication.path] = nil
      return true
    }
    if wasActive { publication.hub.close() }
  }

  /// Returns the stream at a path, with or without a publisher; nil if there is none.
  public func stream(at path: StreamPath) -> StreamHub? { state.withLock { $0.entries[path]?.hub } }

  /// All streams with their paths.
  public var streams: [(path: StreamPath, hub: StreamHub)] {
    let all = state.withLock { $0.entries.map { (path: $0.key, hub: $0.value.hub) } }
    return all.sorted { ($0.path.app, $0.path.stream) < ($1.path.app, $1.path.stream) }
  }

  /// The time of the next call to `advance`; nil if no timer is needed.
  public var deadline: Instant? {
    state.withLock { state in
      state.entries.values.compactMap { $0.number == nil ? $0.ended.advanced(microseconds: linger) : nil }.min()
    }
  }

  /// Ends the streams whose publishers did not return in time.
  public func advance(to now: Instant) {
    let over = state.withLock { state in
      let over = state.entries.filter { $0.value.number == nil && now >= $0.value.ended.advanced(microseconds: linger) }
      for path in over.keys { state.entries[path] = nil }
      return over.values.map(\.hub)
    }
    for hub in over { hub.close() }
  }
}
