/// The loss that an audio encoder prepares for: the worst of the last reports, in steps, because each change affects quality.
struct ExpectedLoss: Sendable {
  private static let memory = 3
  private static let steps = [5, 10, 20, 30]

  private var reports: [Double] = []

  /// Takes a receiver report: the share of packets lost since the last one, 0…1.
  mutating func report(_ share: Double) {
    if reports.count == Self.memory { reports.removeFirst() }
    reports.append(share)
  }

  /// The loss in percent: 0, 5, 10, 20 or 30; nil before the first report.
  var percent: Int? {
    guard let worst = reports.max() else { return nil }
    guard worst >= 0.01 else { return 0 }
    return Self.steps.first { worst * 100 <= Double($0) } ?? Self.steps.last
  }
}
