/// Computes the figures of a subscriber from the samples of its page.
struct PageFigures: Sendable {
  /// Milliseconds from 1900, the epoch of NTP, to 1970.
  private static let ntpEpoch = 2_208_988_800_000.0

  /// All samples in order.
  let samples: [PageSample]
  /// The window, in milliseconds since 1970.
  let window: ClosedRange<Double>
  /// When the senders' NTP clock was 0, in milliseconds since 1970.
  let epoch: Double

  /// The samples of the window.
  var inside: [PageSample] { samples.filter { window.contains($0.at) } }

  /// - Parameter interruption: when nothing passed, in seconds since the window's start.
  func figures(interruption: ClosedRange<Double>? = nil) -> [NetworkFigure: Double] {
    let inside = inside
    guard let first = inside.first, let last = inside.last, last.at > first.at else { return [:] }
    let seconds = (last.at - first.at) / 1000
    func growth(_ stream: KeyPath<PageSample, PageSample.Stream>, _ counter: KeyPath<PageSample.Stream, Double?>) -> Double {
      (last[keyPath: stream][keyPath: counter] ?? 0) - (first[keyPath: stream][keyPath: counter] ?? 0)
    }
    var figures: [NetworkFigure: Double] = [:]
    let rates = rates(inside)
    figures[.fpsP5] = rates.quantile(0.05)
    figures[.fpsP50] = rates.quantile(0.5)
    figures[.frozen] = frozen(inside) / seconds * 100
    let played = growth(\.audio, \.totalSamplesReceived)
    if played > 0 {
      let concealed = growth(\.audio, \.concealedSamples)
      figures[.concealed] = concealed / played * 100
      figures[.invented] = max(0, concealed - growth(\.audio, \.silentConcealedSamples)) / played * 100
    }
    let delays = inside.compactMap { delay($0.video, $0.at) }
    figures[.delayP50] = delays.quantile(0.5)
    figures[.delayP95] = delays.quantile(0.95)
    figures[.soundDelayP95] = inside.compactMap { delay($0.audio, $0.at) }.quantile(0.95)
    figures.merge(heights(inside)) { $1 }
    if inside.contains(where: { $0.isPaused != nil }) {
      figures[.paused] = Double(inside.count { $0.isPaused == true }) / Double(inside.count) * 100
    }
    figures[.nacks] = growth(\.video, \.nackCount) / seconds
    figures[.keyFrameRequests] = (growth(\.video, \.pliCount) + growth(\.video, \.firCount)) / seconds
    let packets = growth(\.video, \.packetsReceived)
    if packets > 0 { figures[.resent] = growth(\.video, \.retransmittedPacketsReceived) / packets * 100 }
    if let interruption { figures.merge(returns(after: window.lowerBound + interruption.upperBound * 1000)) { $1 } }
    return figures
  }

  /// Returns the pictures of each whole second.
  private func rates(_ samples: [PageSample]) -> [Double] {
    var rates: [Double] = []
    var start = samples[0]
    for sample in samples where sample.at - start.at >= 1000 {
      let pictures = (sample.video.framesDecoded ?? 0) - (start.video.framesDecoded ?? 0)
      rates.append(pictures / (sample.at - start.at) * 1000)
      start = sample
    }
    return rates
  }

  /// Returns the seconds in which the picture stood still: the browser's own count, which has a freeze only once it is over,
  /// and the one that lasts at the end.
  private func frozen(_ samples: [PageSample]) -> Double {
    let length = (samples[samples.count - 1].at - samples[0].at) / 1000
    let counted = (samples[samples.count - 1].video.totalFreezesDuration ?? 0) - (samples[0].video.totalFreezesDuration ?? 0)
    let pictures = samples.map { $0.video.framesDecoded ?? 0 }
    let end = pictures[pictures.count - 1]
    let since = samples.first { ($0.video.framesDecoded ?? 0) >= end }?.at ?? samples[0].at
    let lasting = (samples[samples.count - 1].at - since) / 1000
    // W3C: longer than the mean interval of pictures by 150 ms, and than three of them. A sample's own interval is added.
    let isFreeze = lasting > 0.15 + 2 * Double(SubscriberPage.interval) / 1000
    return min(length, counted + (isFreeze ? lasting : 0))
  }

  /// Returns the milliseconds from sending to playing; nil before a sender report, and if the sender is another machine. This
  /// project's senders count from `epoch`, Janus from 1900.
  private func delay(_ stream: PageSample.Stream, _ now: Double) -> Double? {
    guard let played = stream.estimatedPlayoutTimestamp else { return nil }
    return [now - epoch - played, now + Self.ntpEpoch - played].first { (-1000...60_000).contains($0) }
  }

  private func heights(_ inside: [PageSample]) -> [NetworkFigure: Double] {
    let heights = inside.compactMap(\.video.frameHeight)
    guard let height = heights.quantile(0.5) else { return [:] }
    var figures: [NetworkFigure: Double] = [.height: height]
    figures[.changes] = Double(zip(heights, heights.dropFirst()).count { $0 != $1 })
    let shown = samples.filter { $0.video.frameHeight != nil }
    if let first = shown.first, let reached = shown.first(where: { $0.video.frameHeight == height }) {
      figures[.settled] = (reached.at - first.at) / 1000
    }
    return figures
  }

  /// Returns the seconds from `end` until sound and pictures are back.
  private func returns(after end: Double) -> [NetworkFigure: Double] {
    var figures: [NetworkFigure: Double] = [:]
    for (before, now) in zip(samples, samples.dropFirst()) where before.at >= end && window.contains(now.at) {
      let played = (now.audio.totalSamplesReceived ?? 0) - (before.audio.totalSamplesReceived ?? 0)
      let invented = (now.audio.concealedSamples ?? 0) - (before.audio.concealedSamples ?? 0)
      if figures[.soundBack] == nil, played > 0, invented < played / 5 { figures[.soundBack] = (now.at - end) / 1000 }
      let pictures = (now.video.framesDecoded ?? 0) - (before.video.framesDecoded ?? 0)
      if figures[.pictureBack] == nil, pictures > 0 { figures[.pictureBack] = (now.at - end) / 1000 }
    }
    return figures
  }
}
