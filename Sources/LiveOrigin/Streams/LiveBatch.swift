import RTMP

/// Messages of a stream that follow one another up to the newest, for all viewers that are at the same place: most of them have all
/// that there was, and get what is new together.
public final class LiveBatch: Sendable {
  /// Oldest first; at least one.
  public let media: [LiveMedia]
  /// Bytes of their payload.
  public let payload: Int
  let first: Int
  let headers: StreamHeaders

  /// More than that is no step but a jump, and taken one by one.
  static let longest = 64
  static let largest = 256 << 10

  init(_ media: [LiveMedia], first: Int, headers: StreamHeaders) {
    self.media = media
    self.first = first
    self.headers = headers
    payload = media.reduce(0) { $0 + $1.media.payload.count }
  }
}

extension StreamHub {
  /// All that there is for a viewer at this place; nil where there is nothing, or where it has to be taken one by one: it lacks a
  /// header, waits for a key frame, or is behind.
  func batch(for options: StreamViewer.Options, at place: StreamViewer.Place) -> LiveBatch? {
    guard let headers = place.headers, !place.awaitsKeyFrame else { return nil }
    return state.withLock { state in
      guard place.next >= state.ring.start, state.ring.end - place.next <= LiveBatch.longest,
        let oldest = state.ring[place.next], let latest = state.timeline.latest,
        latest.time.milliseconds(since: oldest.media.time) <= options.lag ?? limits.lag
      else { return nil }
      var media: [LiveMedia] = []
      var bytes = 0
      for number in place.next..<state.ring.end {
        guard let item = state.ring[number], item.headers === headers else { return nil }
        bytes += item.media.media.payload.count
        guard bytes <= LiveBatch.largest else { return nil }
        media.append(item.media)
      }
      return LiveBatch(media, first: place.next, headers: headers)
    }
  }
}

extension StreamViewer {
  /// All that there is, where the viewer wants all of it and can take it at once; nil where it has to ask by `next()`.
  public func batch() -> LiveBatch? {
    guard options.wantsAudio, options.wantsVideo else { return nil }
    return hub.batch(for: options, at: place)
  }

  /// Takes a batch that this viewer, or another of the same stream, was given just now; false, and nothing is taken, where it is not
  /// at that place. Then it has all that there was.
  public func take(_ batch: LiveBatch) -> Bool {
    guard place.next == batch.first, place.headers === batch.headers, !place.awaitsKeyFrame, options.wantsAudio,
      options.wantsVideo
    else { return false }
    place.next += batch.media.count
    place.allowance = 0
    place.counters.messages &+= batch.media.count
    place.counters.bytes &+= batch.payload
    return true
  }
}
