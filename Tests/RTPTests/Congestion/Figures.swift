import Foundation
import RoomLinkModel

/// The figures of a scenario, one run for each seed.
struct Figures {
  static let seeds: ClosedRange<UInt64> = 1...20

  private let runs: [[Double]]

  /// Runs a scenario with each seed; it returns its figures, always as many. With `CONGESTION_TABLE` set, they are printed.
  init(_ name: String, of scenario: (UInt64) -> [Double]) {
    runs = Self.seeds.map(scenario)
    guard ProcessInfo.processInfo.environment["CONGESTION_TABLE"] != nil else { return }
    let columns = runs[0].indices.map { String(format: "%.2f %.2f %.2f", least($0), median($0), most($0)) }
    print("\(name): \(columns.joined(separator: " | "))")
  }

  /// The value of figure `index` that 95 % of the runs do not exceed.
  func most(_ index: Int) -> Double { sorted(index)[runs.count - 1 - runs.count / 20] }
  /// The value of figure `index` that 95 % of the runs reach.
  func least(_ index: Int) -> Double { sorted(index)[runs.count / 20] }
  func median(_ index: Int) -> Double { sorted(index)[runs.count / 2] }

  private func sorted(_ index: Int) -> [Double] { runs.map { $0[index] }.sorted() }
}

/// A bottleneck of `rate` bits per second with 50 ms one way and a queue of 300 ms unless said.
func bottleneck(
  _ rate: Double, loss: Double = 0, jitter: Int64 = 0, queue milliseconds: Double = 300, delay: Int64 = 50_000
) -> LinkConditions {
  LinkConditions(loss: loss, delay: delay, jitter: jitter, rate: Int64(rate), queue: Int(rate * milliseconds / 8000))
}
