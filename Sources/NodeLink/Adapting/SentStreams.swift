import RoomRTP

/// The streams that this end sends: what each is, its bitrate, and whether it crosses now. A record causes no allocation.
struct SentStreams {
  struct Stream {
    let number: UInt32
    let place: StreamPlace
    /// The payload bytes since the last measurement.
    var bytes = 0
    /// In bits per second; the last one while nothing is written.
    var rate = 0
    /// Measurements in a row without a record.
    var idle = 0
    /// Whether the other node wants it.
    var isWanted = false
    var isSent = true
    /// Whether it crosses, though nobody wants it, in place of a larger layer that is held back, or was until lately.
    var isSubstitute = false
    /// Times that it was resumed after it was held back, each with a request for a key frame.
    var resumptions: UInt16 = 0
    /// Until when it crosses although a larger layer does again: subscribers leave it at that one's key frame.
    var lingersUntil: Instant?
  }

  /// What changed for the source of a stream.
  struct Change {
    var stream: UInt32
    var resumptions: UInt16
    var isSubstitute: Bool
  }

  /// Microseconds that a measurement takes.
  private static let window: Int64 = 400_000
  /// Microseconds for which a smaller layer crosses beside the resumed larger one.
  private static let lingering: Int64 = 3_000_000
  /// The heads of a record, a datagram, UDP and IP.
  private static let headBytes = 80

  private var all: [Stream] = []
  private var indices: [UInt32: Int] = [:]
  private var last = (number: UInt32(0), index: -1)
  private var measured: Instant?
  private(set) var held = HeldLayers()

  mutating func begin(_ number: UInt32, _ place: StreamPlace, isWanted: Bool) {
    if let index = indices[number] {
      guard all[index].place != place else { return }
      end(number)
    }
    indices[number] = all.count
    all.append(Stream(number: number, place: place, isWanted: isWanted))
  }

  mutating func end(_ number: UInt32) {
    guard let index = indices.removeValue(forKey: number) else { return }
    all.swapAt(index, all.count - 1)
    all.removeLast()
    if index < all.count { indices[all[index].number] = index }
    last = (0, -1)
  }

  mutating func want(_ isWanted: Bool, _ number: UInt32) { if let index = indices[number] { all[index].isWanted = isWanted } }

  mutating func wantNone() { for index in all.indices { all[index].isWanted = false } }

  /// Records a record that is written. Returns whether it crosses, and whether it may have to wait.
  mutating func count(_ number: UInt32, _ bytes: Int) -> (crosses: Bool, waits: Bool) {
    if last.number != number || last.index < 0 { last = (number, indices[number] ?? -1) }
    guard last.index >= 0 else { return (true, false) }
    all[last.index].bytes &+= bytes &+ Self.headBytes
    // One without payload is a mark between the two ends of the stream.
    let crosses = all[last.index].isSent || bytes == 0
    if case .video = all[last.index].place { return (crosses, true) }
    return (true, false)
  }

  func crosses(_ number: UInt32) -> Bool { indices[number].map { all[$0].isSent } ?? true }

  /// Updates the bitrates, if it is time to.
  mutating func measure(_ now: Instant) {
    guard let since = measured else {
      measured = now
      return
    }
    let elapsed = now - since
    guard elapsed >= Self.window else { return }
    measured = now
    for index in all.indices {
      let rate = Int(Int64(all[index].bytes) &* 8_000_000 / elapsed)
      all[index].bytes = 0
      if rate == 0 {
        all[index].idle &+= 1
      } else {
        all[index].rate = all[index].rate == 0 || all[index].idle > 1 ? rate : (all[index].rate + rate) / 2
        all[index].idle = 0
      }
    }
  }

  private func isFlowing(_ stream: Stream) -> Bool { stream.idle < 3 && stream.rate > 0 }

  /// The bitrate of all that is wanted.
  var demand: Int { all.reduce(0) { $0 &+ ($1.isWanted && isFlowing($1) ? $1.rate : 0) } }

  /// The number of wanted streams that are held back.
  private(set) var heldBack = 0

  /// Whether something does not cross as its source sends it.
  var isAdapted: Bool { all.contains { !$0.isSent || $0.isSubstitute } }
  /// Whether something does not cross as the other node wants it.
  var isHolding: Bool { all.contains { $0.isWanted && !$0.isSent || $0.isSubstitute } }

  /// Decides anew what crosses.
  /// - Parameter budget: in bits per second; nil if the link has no limit.
  mutating func allocate(budget: Int?, now: Instant) -> [Change] {
    let before = held.levels
    guard let budget else {
      held.clear()
      return apply([:], resumed: resumed(since: before), now: now)
    }
    var layers: [UInt32: [LinkAllocation.Layer]] = [:]
    var (audio, extra) = (0, 0)
    for stream in all {
      switch stream.place {
      case .audio: if isFlowing(stream) { audio &+= stream.rate }
      case .video(let track):
        // What was never seen may not exist.
        guard stream.rate > 0 else { continue }
        layers[track, default: []].append(
          .init(
            stream: stream.number, rate: stream.rate, isWanted: stream.isWanted,
            isIdle: stream.isWanted && !isFlowing(stream)))
        if stream.lingersUntil != nil { extra &+= stream.rate }
      }
    }
    let videos = layers.keys.sorted().map { LinkAllocation.Video(track: $0, layers: layers[$0] ?? []) }
    held.update(videos, extra: extra, budget: max(0, budget &- audio), now: now)
    var crossing: [UInt32: Bool] = [:]
    for video in videos {
      let sent = video.sent(at: held.levels[video.track] ?? 0)
      for (index, layer) in video.layers.enumerated() where video.isWanted {
        crossing[layer.stream] = sent.contains(index)
      }
    }
    return apply(crossing, resumed: resumed(since: before), now: now)
  }

  /// Returns the videos whose smaller layers may linger: all, unless a layer of any was held back since.
  private func resumed(since before: [UInt32: Int]) -> Set<UInt32> {
    guard !held.levels.contains(where: { $0.value > before[$0.key] ?? 0 }) else { return [] }
    var tracks: Set<UInt32> = []
    for stream in all where stream.isSubstitute { if case .video(let track) = stream.place { tracks.insert(track) } }
    return tracks
  }

  /// - Parameter crossing: whether each stream of the wanted videos crosses.
  private mutating func apply(_ crossing: [UInt32: Bool], resumed: Set<UInt32>, now: Instant) -> [Change] {
    var changes: [Change] = []
    for index in all.indices {
      guard case .video(let track) = all[index].place else { continue }
      var stream = all[index]
      if crossing[stream.number] ?? stream.isWanted {
        // Who changes to a substitute requests its key frame then: one that comes before is of no use.
        if stream.isWanted, !stream.isSent { stream.resumptions &+= 1 }
        stream.isSent = true
        stream.isSubstitute = !stream.isWanted
        stream.lingersUntil = nil
      } else if stream.isSubstitute, resumed.contains(track), stream.lingersUntil.map({ now < $0 }) ?? true {
        stream.lingersUntil = stream.lingersUntil ?? now.advanced(microseconds: Self.lingering)
      } else {
        stream.isSubstitute = false
        stream.lingersUntil = nil
        stream.isSent = crossing[stream.number] ?? true
      }
      if stream.resumptions != all[index].resumptions || stream.isSubstitute != all[index].isSubstitute {
        changes.append(Change(stream: stream.number, resumptions: stream.resumptions, isSubstitute: stream.isSubstitute))
      }
      all[index] = stream
    }
    heldBack = all.reduce(0) { $0 + ($1.isWanted && !$1.isSent ? 1 : 0) }
    return changes
  }
}
