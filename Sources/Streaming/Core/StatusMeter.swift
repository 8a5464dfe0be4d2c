import RoomRTP

/// Counts what a push sends, over all its connections, and makes reports of it.
struct StatusMeter: Sendable {
  private var base = StreamingProgress()
  private var current = StreamingProgress()
  private var reported = StreamingProgress()
  private var last: Instant

  init(now: Instant = Instant(microseconds: 0)) { last = now }

  /// The counters since the start.
  var total: StreamingProgress { base + current }

  /// The time of the next report.
  func due(_ options: StreamingOptions) -> Instant { last.advanced(microseconds: options.statusMicroseconds) }

  mutating func measured(_ progress: StreamingProgress) { current = progress }

  mutating func connectionEnded() {
    base = total
    (base.queued, base.rate) = (0, nil)
    current = StreamingProgress()
  }

  /// Returns the rates since the last report.
  mutating func report(now: Instant) -> StreamingStatus {
    let (total, seconds) = (total, Double(max(1, now - last)) / 1_000_000)
    func rate(_ counter: KeyPath<StreamingProgress, UInt64>) -> Double {
      Double(total[keyPath: counter] - reported[keyPath: counter]) / seconds
    }
    defer { (reported, last) = (total, now) }
    return StreamingStatus(
      state: .unknown, videoFPS: rate(\.pictures), videoKilobits: Int(rate(\.pictureBytes) * 8 / 1000),
      audioFPS: rate(\.sounds), audioKilobits: Int(rate(\.soundBytes) * 8 / 1000), queued: total.queued,
      droppedFrames: total.dropped)
  }
}
