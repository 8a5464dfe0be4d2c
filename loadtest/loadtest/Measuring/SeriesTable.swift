/// A column of a table: its title and the text of a row.
struct Column<Row> {
  let title: String
  let text: (Row) -> String

  init(_ title: String, text: @escaping (Row) -> String) {
    self.title = title
    self.text = text
  }

  /// Creates a column of numbers with `digits` decimals, separated by slashes if there are several.
  init(_ title: String, _ digits: Int, _ figures: ((Row) -> Double?)...) {
    self.title = title
    text = { row in figures.map { MarkdownTable.number($0(row), digits) }.joined(separator: " / ") }
  }
}

extension Series {
  /// The measurements as a Markdown table; if there are several, also their medians and the ratios of their cost.
  var text: String {
    let targets = max(1, medians.count)
    var lines = MarkdownTable.lines(
      ["run", "target"] + Result.columns.map(\.title),
      runs.enumerated().map { index, run in
        ["\(index / targets + 1)", "\(run.target)"] + Result.columns.map { $0.text(run) }
      })
    let faults = runs.compactMap { run in run.fault.map { "\(run.target): \($0)" } }
    if !faults.isEmpty { lines += [""] + faults }
    guard runs.count > 1 else { return lines.joined(separator: "\n") }
    lines += ["", "Medians:", ""]
    lines += MarkdownTable.lines(
      ["target"] + Result.medianColumns.map(\.title),
      medians.map { median in ["\(median.target)"] + Result.medianColumns.map { $0.text(median) } })
    if !cpuRatios.isEmpty { lines.append("") }
    for ratio in cpuRatios {
      let (own, inverse) = (MarkdownTable.number(ratio.ratio, 3), MarkdownTable.number(1 / ratio.ratio, 1))
      lines.append("\(Result.cost?.name ?? ""), \(ratio.target) : \(ratio.to) = \(own) (1/\(inverse))")
    }
    return lines.joined(separator: "\n")
  }
}
