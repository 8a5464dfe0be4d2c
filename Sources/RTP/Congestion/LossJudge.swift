/// Decides whether lost packets are a sign of congestion.
///
/// Radio links lose packets at any rate, and a lower rate does not help them. So less than 40 % counts only if a queue stands at
/// the bottleneck. A bottleneck with a short queue, or a policer, is found by an experiment: at much loss the rate is cut once,
/// and loss is congestion if it falls as a full bottleneck explains.
struct LossJudge: Sendable {
  enum Verdict: Sendable, Hashable {
    case harmless
    /// The rate is to stay as it is, so that its loss can be measured.
    case measure
    /// The rate is to be cut by `cut` for an experiment.
    case tryCut
    /// The cut did not help: the rate may be what it was before.
    case undoCut
    /// The rate before the experiment was too high: this share of it was lost.
    case tooMuch(share: Double)
    /// Packets are lost behind a standing queue.
    case congestion
  }

  /// The share of lost packets that starts an experiment.
  private static let suspicious = 0.08
  /// The share of lost packets that counts behind a standing queue.
  private static let severe = 0.1
  /// The share of lost packets that counts in any case. A queue that was full from the start does not show, and if many share a
  /// bottleneck, the cut of one does not help it.
  private static let extreme = 0.4
  /// The time in microseconds for which that much loss must last.
  private static let lasting: Int64 = 700_000
  /// The share by which an experiment cuts the rate.
  static let cut = 0.15
  /// The packets that a share is computed from, and the least time in microseconds.
  private static let sample = 250
  private static let shortestSample: Int64 = 1_000_000
  /// The packets that a receiver report stands for.
  private static let reported = 100
  private static let exoneration: Int64 = 60_000_000

  private enum Phase: Sendable {
    case watching
    case measuring
    case trying(before: Double)
    case exonerated(loss: Double, until: Instant)
  }

  private struct Sample: Sendable {
    var lost = 0
    var total = 0
    var since: Instant?
    var share: Double { total > 0 ? Double(lost) / Double(total) : 0 }
  }

  /// The share of lost packets, 0…1, smoothed over about a second.
  private(set) var loss = 0.0
  private var phase = Phase.watching
  private var extremeSince: Instant?
  private var short = Sample()
  /// The packets sent since the rate was set.
  private var long = Sample()

  mutating func add(_ outcome: PacketOutcome) {
    let isLost = outcome.arrival == nil ? 1 : 0
    short.total += 1
    short.lost += isLost
    if let since = long.since, outcome.sent < since { return }
    long.total += 1
    long.lost += isLost
  }

  /// Takes the share of lost packets of a receiver report instead of single outcomes.
  mutating func report(_ share: Double) {
    loss += (share - loss) * 0.5
    long.total += Self.reported
    long.lost += Int(share * Double(Self.reported))
  }

  /// Whether an experiment runs, which probes would disturb.
  var isMeasuring: Bool {
    switch phase {
    case .measuring, .trying: true
    case .watching, .exonerated: false
    }
  }

  /// Judges after the outcomes of a feedback packet. `isQueueStanding` says that packets wait at the bottleneck.
  mutating func judge(isQueueStanding: Bool, now: Instant) -> Verdict {
    let began = short.since ?? now
    short.since = began
    if short.total >= 20, now - began >= 500_000 {
      loss += (short.share - loss) * 0.5
      short = Sample(since: now)
    }
    if isQueueStanding {
      phase = .watching
      extremeSince = nil
      return loss > Self.severe ? .congestion : .harmless
    }
    guard loss >= Self.extreme else {
      extremeSince = nil
      return experiment(now)
    }
    // The smoothed loss outlasts a queue.
    let since = extremeSince ?? now
    extremeSince = since
    guard now - since >= Self.lasting else { return .measure }
    phase = .watching
    return .congestion
  }

  private mutating func experiment(_ now: Instant) -> Verdict {
    switch phase {
    case .watching:
      guard loss > Self.suspicious else { return .harmless }
      phase = .measuring
      long = Sample(since: now)
      return .measure
    case .measuring:
      guard let share = sampled(now) else { return .measure }
      guard share > Self.suspicious else {
        phase = .watching
        return .harmless
      }
      phase = .trying(before: share)
      return .tryCut
    case .trying(let before):
      guard let share = sampled(now) else { return .measure }
      // What remains if all loss comes from a full bottleneck.
      let explained = before - max(0, 1 - (1 - before) / (1 - Self.cut))
      if before - share > explained * 0.55 {
        phase = .watching
        return .tooMuch(share: before)
      }
      phase = .exonerated(loss: before, until: now.advanced(microseconds: Self.exoneration))
      return .undoCut
    case .exonerated(let before, let until):
      if now >= until { phase = .watching }
      if let share = sampled(now), share > before + 0.06 { phase = .watching }
      return .harmless
    }
  }

  /// Returns the share of lost packets since the last sample; nil before it is complete.
  private mutating func sampled(_ now: Instant) -> Double? {
    let began = long.since ?? now
    long.since = began
    guard long.total >= Self.sample, now - began >= Self.shortestSample else { return nil }
    defer { long = Sample(since: now) }
    return long.share
  }
}
