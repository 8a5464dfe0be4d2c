import RoomRTMP

/// Consecutive messages up to the newest, shared by all viewers at the same position. Most viewers are up to date and receive
/// new messages together.
public final class LiveBatch: Sendable {
  /// The messages, oldest first; at least one.
  public let media: [LiveMedia]
  /// The payload size in bytes.
  public let payload: Int
  let first: Int
  let headers: StreamHeaders

  /// More messages than this are a jump, and are sent one by one.
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
  /// Returns all pending messages for a viewer at this position. Returns nil if there are none, or if they must be read one by
  /// one: the viewer lacks a header, waits for a key frame, or is behind.
  func batch(for options: StreamViewer.Options, at position: StreamViewer.Position) -> LiveBatch? {
    guard let headers = position.headers, !position.awaitsKeyFrame else { return nil }
    return state.withLock { state in
      guard position.next >= state.ring.start, state.ring.end - position.next <= LiveBatch.longest,
        let oldest = state.ring[position.next], let latest = state.timeline.latest,
        latest.time.milliseconds(since: oldest.media.time) <= options.lag ?? limits.lag
      else { return nil }
      var media: [LiveMedia] = []
      var bytes = 0
      for number in position.next..<state.ring.end {
        guard let item = state.ring[number], item.headers === headers else { return nil }
        bytes += item.media.media.payload.count
        guard bytes <= LiveBatch.largest else { return nil }
        media.append(item.media)
      }
      return LiveBatch(media, first: position.next, headers: headers)
    }
  }
}

extension StreamViewer {
  /// Returns all pending messages if the viewer wants every kind and can take them at once. Otherwise returns nil; use `next()`
  /// instead.
  public func batch() -> LiveBatch? {
    guard options.wantsAudio, options.wantsVideo else { return nil }
    return hub.batch(for: options, at: position)
  }

  /// Advances past a batch returned just now to this viewer or to another one of the stream. Returns false without any effect
  /// if the viewer is not at the batch's position. Afterwards the viewer is up to date.
  public func take(_ batch: LiveBatch) -> Bool {
    guard position.next == batch.first, position.headers === batch.headers, !position.awaitsKeyFrame, options.wantsAudio,
      options.wantsVideo
    else { return false }
    position.next += batch.media.count
    position.allowance = 0
    position.counters.messages &+= batch.media.count
    position.counters.bytes &+= batch.payload
    return true
  }
}
