import Foundation

/// Formats a run as text, while it runs and at its end.
enum RunTable {
  private static let columns = ["figure", "count", "p50", "p95", "worst", "unit"]

  /// Returns the table for a terminal.
  static func live(_ report: RunReport, _ phase: String) -> [String] {
    let head = "\(clock(report.seconds))  \(phase)" + (report.failureCount > 0 ? "  (\(report.failureCount) failed)" : "")
    return [head] + table(report.figures.filter { $0.figure != Figure.failures.rawValue }) + limits(report)
  }

  /// Returns one line for a log.
  static func line(_ report: RunReport, _ phase: String) -> String {
    var parts = [clock(report.seconds), phase]
    let shownFigures: [Figure] = [.audioGap, .delay, .fps, .serverCPU]
    for figure in report.figures where shownFigures.contains(where: { $0.rawValue == figure.figure }) {
      parts.append("\(figure.key) \(FigureText.number(figure.p50)) (\(FigureText.number(worst(figure))))")
    }
    if report.failureCount > 0 { parts.append("\(report.failureCount) failed") }
    return parts.joined(separator: " | ")
  }

  /// Returns the summary at the end of the run.
  static func summary(_ report: RunReport) -> String {
    let failures = report.failures.prefix(10).map { "failed: \($0)" }
    return
      (["", "\(report.scenario) took \(clock(report.seconds)) and \(report.verdict)", ""] + table(report.figures) + [""]
      + limits(report)
      + failures).joined(separator: "\n")
  }

  private static func limits(_ report: RunReport) -> [String] {
    report.limits.map { limit in
      let value = limit.value.map { "is \(FigureText.number($0))" } ?? "was not measured"
      let mark = limit.holds ? "  ok  " : report.isBroken(limit) ? "BROKEN" : "  --  "
      return "\(mark) \(limit.text): \(value)"
    }
  }

  private static func table(_ figures: [FigureReport]) -> [String] {
    let rows = figures.map { figure in
      [
        figure.key, String(figure.count), FigureText.number(figure.p50), FigureText.number(figure.p95),
        FigureText.number(worst(figure)), figure.words.unit,
      ]
    }
    let widths = columns.indices.map { column in ([columns] + rows).map { $0[column].count }.max() ?? 0 }
    return ([columns] + rows).map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 || column == columns.count - 1 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }
  }

  /// A low frame rate is bad; of all other figures, high values are bad.
  private static func worst(_ figure: FigureReport) -> Double { figure.figure == Figure.fps.rawValue ? figure.min : figure.max }

  static func clock(_ seconds: Double) -> String { String(format: "%d:%02d", Int(seconds) / 60, Int(seconds) % 60) }
}
