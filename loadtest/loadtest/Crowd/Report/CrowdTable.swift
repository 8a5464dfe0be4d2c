import Foundation

/// Formats results as a readable Markdown table.
enum CrowdTable {
  private static let head = [
    "run", "target", "people", "join ms", "mean join ms", "publish ms", "unpublish ms", "delivery µs", "offer µs", "loss ms",
    "resume ms", "leave ms", "joined after ms", "RSS MB", "idle %", "others' CPU %",
  ]

  static func text(_ series: CrowdSeries) -> String {
    let targets = max(1, series.medians.count)
    var lines = [MarkdownTable.row(head), MarkdownTable.row(head.map { _ in "---" })]
    for (index, run) in series.runs.enumerated() {
      lines.append(MarkdownTable.row(cells(run, number: index / targets + 1)))
    }
    let failures = series.runs.compactMap(failureSentence)
    if !failures.isEmpty { lines += [""] + failures }
    guard series.runs.count > 1 else { return lines.joined(separator: "\n") }
    let columns = ["target", "join ms", "publish ms", "delivery µs", "offer µs", "loss ms", "resume ms", "leave ms"]
    lines += ["", "Medians:", "", MarkdownTable.row(columns), MarkdownTable.row(columns.map { _ in "---" })]
    for median in series.medians {
      lines.append(
        MarkdownTable.row([
          median.target, number(median.joinMilliseconds, 2), number(median.publishMilliseconds, 2),
          number(median.deliveryMicroseconds, 2), number(median.offerMicroseconds, 0), number(median.lossMilliseconds, 2),
          number(median.resumeMilliseconds, 2), number(median.leaveMilliseconds, 2),
        ]))
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(_ run: CrowdResult, number index: Int) -> [String] {
    [
      "\(index)", run.target, "\(run.people)", number(run.joinMilliseconds, 2), number(run.meanJoinMilliseconds, 2),
      number(run.publishMilliseconds, 2), number(run.unpublishMilliseconds, 2), number(run.deliveryMicroseconds, 2),
      number(run.offerMicroseconds, 0), number(run.lossMilliseconds, 2), number(run.resumeMilliseconds, 2),
      number(run.leaveMilliseconds, 2), number(run.joinTimeP50, 1), number(run.residentMegabytes, 1),
      number(run.idlePercent, 1), number(run.othersPercent, 0),
    ]
  }

  /// Returns the reason why a run is invalid, or nil if it is valid.
  private static func failureSentence(_ run: CrowdResult) -> String? {
    guard !run.isValid else { return nil }
    var text = "\(run.target): \(run.missingDeliveries) of \(run.messages * run.people) messages and \(run.missingOffers) of "
    text += "\(run.offers + run.missingOffers) offers are missing"
    return text + (run.failure.map { "; a connection ended: \($0)" } ?? "")
  }

  private static func number(_ value: Double, _ digits: Int) -> String { MarkdownTable.number(value, digits) }
}
