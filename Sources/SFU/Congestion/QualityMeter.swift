import RoomRTP

/// Judges one direction of a transport. A better verdict must last for some seconds, so that the value does not flicker.
struct QualityMeter {
  /// What a direction looks like at one moment.
  struct View {
    /// The share of lost packets, 0…1.
    var loss = 0.0
    /// The round-trip time in microseconds; 0 while unknown.
    var roundTrip: Int64 = 0
    /// Whether video is paused because it does not fit.
    var isPaused = false
    /// Whether a smaller layer is sent than was wanted.
    var isReduced = false
    /// Whether nothing arrives from the other end.
    var isSilent = false
  }

  /// In microseconds.
  private static let patience: Int64 = 3_000_000

  /// A direction is good until something shows otherwise.
  private(set) var quality = LinkQuality.good
  /// The share of lost packets, smoothed over a few seconds: a stream with few packets loses a large share at once.
  private var loss = 0.0
  private var betterSince: Int64?

  /// Returns the new verdict if it changed.
  mutating func update(_ view: View, now: Instant) -> LinkQuality? {
    loss += (view.loss - loss) / 2
    let next = judge(view)
    guard next != quality else {
      betterSince = nil
      return nil
    }
    if next.rank > quality.rank {
      let since = betterSince ?? now.microseconds
      betterSince = since
      guard now.microseconds - since >= Self.patience else { return nil }
    }
    betterSince = nil
    quality = next
    return next
  }

  private func judge(_ view: View) -> LinkQuality {
    if view.isSilent || view.isPaused || loss > 0.1 || view.roundTrip > 800_000 { return .bad }
    if view.isReduced || loss > 0.03 || view.roundTrip > 400_000 { return .weak }
    return .good
  }
}

extension LinkQuality {
  fileprivate var rank: Int {
    switch self {
    case .bad: 0
    case .weak: 1
    case .good: 2
    }
  }
}
