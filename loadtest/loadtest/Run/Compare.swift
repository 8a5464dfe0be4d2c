import ArgumentParser
import Foundation

/// Compares two reports.
struct Compare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show how the figures of two runs differ, and why the runs may not be comparable.")

  @Argument(help: "The report.json of the earlier run, or its folder.")
  var before: String

  @Argument(help: "The report.json of the later run, or its folder.")
  var after: String

  func run() async throws {
    do {
      print(Comparison(try Self.read(before), try Self.read(after)).text)
    } catch { throw ValidationError(error.description) }
  }

  private static func read(_ path: String) throws(ScenarioError) -> RunReport {
    let file = URL(filePath: path)
    let candidates = [file, file.appending(path: "report.json")]
    guard let data = candidates.lazy.compactMap({ try? Data(contentsOf: $0) }).first else {
      throw ScenarioError("\(path) can't be read")
    }
    return try RunReport(json: data, name: path)
  }
}

/// What differs between two runs.
struct Comparison {
  let before: RunReport
  let after: RunReport

  init(_ before: RunReport, _ after: RunReport) {
    self.before = before
    self.after = after
  }

  /// Sentences that explain why the figures may not be comparable.
  var differences: [String] {
    var all: [String] = []
    func compare(_ what: String, _ one: String, _ other: String) {
      if one != other { all.append("\(what): \(one) and \(other)") }
    }
    compare("play", before.play, after.play)
    compare("scenario", before.scenario, after.scenario)
    for name in Set(before.parameters.keys).union(after.parameters.keys).sorted() {
      func text(_ report: RunReport) -> String { report.parameters[name].map(Parameter.text) ?? "none" }
      compare(name, text(before), text(after))
    }
    compare("processor", before.machine.processor, after.machine.processor)
    compare("cores", String(before.machine.cores), String(after.machine.cores))
    compare("build", before.machine.build, after.machine.build)
    for (name, report) in [("the first run", before), ("the second run", after)] {
      if let others = report.figures.first(where: { $0.figure == Figure.othersCPU.rawValue }), others.mean > 20 {
        all.append("other processes used \(FigureText.number(others.mean)) % of a core during \(name)")
      }
      if let aborted = report.aborted { all.append("\(name) was aborted: \(aborted)") }
    }
    return all
  }

  private static let statistics: [Limit.Statistic] = [.p50, .p95, .max]

  /// A Markdown table and the reasons why the reports may not be comparable.
  var text: String {
    var lines = differences.map { "Different \($0)." }
    if !lines.isEmpty { lines.append("") }
    let (first, second) = (Dictionary(grouping: before.figures, by: \.key), Dictionary(grouping: after.figures, by: \.key))
    lines.append(MarkdownTable.row(["figure", "statistic", "before", "after", "change"]))
    lines.append(MarkdownTable.row(["---", "---", "--:", "--:", "--:"]))
    var keys = before.figures.map(\.key)
    keys += after.figures.map(\.key).filter { !keys.contains($0) }
    for key in keys {
      let (one, other) = (first[key]?.first, second[key]?.first)
      for statistic in Self.statistics {
        lines.append(
          MarkdownTable.row([
            key, statistic.rawValue, one.map { FigureText.number($0[statistic]) } ?? "–",
            other.map { FigureText.number($0[statistic]) } ?? "–", Self.change(one?[statistic], other?[statistic]),
          ]))
      }
    }
    let limits = after.limits.filter { limit in before.limits.first { $0.text == limit.text }?.holds ?? true != limit.holds }
    if !limits.isEmpty { lines.append("") }
    for limit in limits { lines.append("\(limit.holds ? "Met now" : "Broken now"): \(limit.sentence).") }
    return lines.joined(separator: "\n")
  }

  static func change(_ before: Double?, _ after: Double?) -> String {
    guard let before, let after else { return "–" }
    if before == after { return "=" }
    guard before != 0 else { return String(format: "%+.1f", after) }
    return String(format: "%+.0f %%", (after - before) / abs(before) * 100)
  }
}
