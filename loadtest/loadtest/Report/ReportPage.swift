import Foundation

/// A report as one self-contained HTML page.
enum ReportPage {
  static func html(_ report: RunReport) -> String {
    let name = HTMLText.escaped(report.scenario)
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(name), \(date(report))</title>
      <style>\(style)</style>
      <main>
      \(head(report))
      \(tiles(report))
      \(limits(report))
      \(failures(report))
      <section class="charts">
      \(charts(report))
      </section>
      \(parameters(report))
      </main>
      </html>

      """
  }

  private static func date(_ report: RunReport) -> String {
    Date(timeIntervalSince1970: Double(report.startedAt) / 1000).formatted(.iso8601.dateTimeSeparator(.space)) + " UTC"
  }

  private static func head(_ report: RunReport) -> String {
    let verdict =
      report.isGood
      ? "<span class=\"verdict good\">✓ met all limits</span>"
      : "<span class=\"verdict bad\">✕ \(report.aborted == nil ? "\(report.errors.count) broken" : "aborted")</span>"
    let of = report.base.map { " of \($0)" } ?? ""
    let server = report.server == "started" ? "a server started for this run" : report.server
    let facts = [
      date(report).replacing("Z UTC", with: " UTC"), "\(RunTable.clock(report.seconds)) min", server,
      "\(report.machine.processor), \(report.machine.cores) cores", "\(report.machine.build) build",
    ]
    return """
      <header>
      <h1>\(HTMLText.escaped(report.scenario + of)) \(verdict)</h1>
      <p class="about">\(HTMLText.escaped(report.about))</p>
      <p class="facts">\(facts.map(HTMLText.escaped).joined(separator: " · "))</p>
      </header>
      """
  }

  // MARK: What counts, at a glance

  private static func tiles(_ report: RunReport) -> String {
    let chosen: [(Figure, Limit.Statistic)] = [
      (.join, .p95), (.firstMedia, .p95), (.delay, .p50), (.soundDelay, .p50), (.audioGap, .max), (.takeover, .max),
      (.fps, .p50),
      (.serverCPU, .mean), (.serverMemory, .max),
    ]
    let tiles = chosen.compactMap { figure, statistic -> String? in
      let own = report.figures.filter { $0.figure == figure.rawValue && $0.count > 0 }
      let values = own.map { $0[statistic] }
      guard let value = figure == .fps ? values.min() : values.max() else { return nil }
      let what = own.count > 1 ? "\(statistic.rawValue), worst of \(own.count)" : statistic.rawValue
      let unit = figure.words.unit
      return """
        <div class="tile"><b>\(FigureText.number(value))<small>\(unit.isEmpty ? "" : " \(unit)")</small></b>\
        <span>\(figure.words.title)</span><i>\(what)</i></div>
        """
    }
    return "<section class=\"tiles\">\(tiles.joined())</section>"
  }

  private static func limits(_ report: RunReport) -> String {
    guard !report.limits.isEmpty || report.aborted != nil else { return "" }
    let rows = report.limits.map { limit in
      let title = (try? Limit(parsing: limit.text))?.base.words.title ?? ""
      let value = limit.value.map { FigureText.number($0) } ?? "not measured"
      let (mark, style) = limit.holds ? ("✓", "good") : report.isBroken(limit) ? ("✕", "bad") : ("–", "")
      return """
        <tr class="\(style)"><td>\(mark)</td><td>\(HTMLText.escaped(title))</td>\
        <td><code>\(HTMLText.escaped(limit.text))</code></td><td class="number">\(value)</td></tr>
        """
    }
    let aborted = report.aborted.map { "<p class=\"bad\">The run was aborted: \(HTMLText.escaped($0))</p>" } ?? ""
    let table =
      "<table><thead><tr><th></th><th>figure</th><th>limit</th><th class=\"number\">measured</th></tr></thead>\(rows.joined())</table>"
    return "<section><h2>Limits</h2>\(aborted)\(report.limits.isEmpty ? "" : table)</section>"
  }

  private static func failures(_ report: RunReport) -> String {
    guard report.failureCount > 0 else { return "" }
    let items = report.failures.prefix(20).map { "<li>\(HTMLText.escaped($0))</li>" }
    let more = report.failureCount > 20 ? "<li>and \(report.failureCount - 20) more</li>" : ""
    return "<section><h2>Failures</h2><ul class=\"bad\">\(items.joined())\(more)</ul></section>"
  }

  // MARK: Charts

  private static func charts(_ report: RunReport) -> String {
    // If there are too many events to tell apart, only phases are shown.
    let events = report.events.count <= 100 ? report.events : report.events.filter(\.isPhase)
    let limits = report.limits.compactMap { try? Limit(parsing: $0.text) }
    let articles = Figure.allCases.filter { $0 != .failures }.compactMap { figure -> String? in
      let own = report.figures.filter { $0.figure == figure.rawValue && $0.count > 0 }
      guard !own.isEmpty else { return nil }
      let limits = limits.filter { $0.base == figure && $0.statistic != .count }
      let chart = TimeChart(figures: own, limits: limits, events: events, seconds: report.seconds)
      let unit = figure.words.unit.isEmpty ? "" : " <small>\(figure.words.unit)</small>"
      return """
        <article>
        <h3>\(figure.words.title)\(unit)</h3>
        <p>\(HTMLText.escaped(figure.words.about))</p>
        \(chart.svg)
        \(table(own))
        </article>
        """
    }
    return articles.joined(separator: "\n")
  }

  private static func table(_ figures: [FigureReport]) -> String {
    let rows = figures.enumerated().map { index, figure in
      let key = figures.count > 1 || figure.kind != nil ? figure.kind ?? "all" : ""
      let numbers = [figure.min, figure.p50, figure.p95, figure.p99, figure.max].map {
        "<td class=\"number\">\(FigureText.number($0))</td>"
      }
      return """
        <tr><td><span class="key" style="background:var(--line\(index % TimeChart.colours))"></span>\(HTMLText.escaped(key))</td>\
        <td class="number">\(figure.count)</td>\(numbers.joined())</tr>
        """
    }
    let heads = ["n", "min", "p50", "p95", "p99", "max"].map { "<th class=\"number\">\($0)</th>" }
    return "<table class=\"small\"><thead><tr><th></th>\(heads.joined())</tr></thead>\(rows.joined())</table>"
  }

  private static func parameters(_ report: RunReport) -> String {
    let parameters = (PlayKind(rawValue: report.play)?.type.parameters ?? []) + Parameter.common
    let about = Dictionary(parameters.map { ($0.name, $0.about) }, uniquingKeysWith: { first, _ in first })
    let rows = report.parameters.sorted { $0.key < $1.key }.map { name, value in
      """
      <tr><td>\(HTMLText.escaped(name))</td><td class="number">\(Parameter.text(value))</td>\
      <td>\(HTMLText.escaped(about[name] ?? ""))</td></tr>
      """
    }
    return """
      <section><h2>Parameters</h2><table>\(rows.joined())</table>
      <p class="facts">Lines show the mean of each second, shaded areas its range from minimum to maximum, dashed lines limits,
      and thin vertical lines events: hover over them for details.</p></section>
      """
  }

  private static let style = """
    :root { --page: #f6f8fa; --card: #fff; --text: #1f2328; --quiet: #59636e; --edge: #d1d9e0; --good: #1a7f37; --bad: #d1242f;
      --line0: #0969da; --line1: #bc4c00; --line2: #1a7f37; --line3: #8250df; --line4: #bf3989; --line5: #9a6700; }
    @media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #151b23; --text: #e6edf3; --quiet: #9198a1;
      --edge: #3d444d; --good: #3fb950; --bad: #f85149; --line0: #4493f8; --line1: #f0883e; --line2: #3fb950; --line3: #ab7df8;
      --line4: #f778ba; --line5: #d29922; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
    main { max-width: 1240px; margin: 0 auto; padding: 28px 20px 60px; }
    h1 { font-size: 26px; margin: 0; display: flex; gap: 14px; align-items: center; flex-wrap: wrap; }
    h2 { font-size: 18px; margin: 28px 0 8px; } h3 { font-size: 15px; margin: 0; } h3 small, .tile small { color: var(--quiet); font-weight: 400; }
    p { margin: 4px 0; } .about { font-size: 17px; } .facts, article p { color: var(--quiet); font-size: 13px; }
    .verdict { font-size: 14px; font-weight: 600; padding: 3px 12px; border-radius: 99px; }
    .verdict.good { background: #1a7f37; color: #fff; } .verdict.bad { background: #cf222e; color: #fff; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(138px, 1fr)); gap: 12px; margin-top: 20px; }
    .tile { background: var(--card); border: 1px solid var(--edge); border-radius: 10px; padding: 12px 14px; display: flex; flex-direction: column; }
    .tile b { font-size: 24px; line-height: 1.2; } .tile small { font-size: 13px; } .tile span { font-size: 13px; }
    .tile i { font-size: 12px; font-style: normal; color: var(--quiet); }
    table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--edge); border-radius: 10px; overflow: hidden; font-size: 14px; }
    td, th { padding: 6px 12px; text-align: left; border-bottom: 1px solid var(--edge); } tr:last-child td { border-bottom: 0; }
    th { font-weight: 600; color: var(--quiet); font-size: 12px; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    tr.good td:first-child { color: var(--good); } tr.bad td, .bad { color: var(--bad); } tr.bad td { font-weight: 600; }
    code { font: 13px ui-monospace, monospace; }
    .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 16px; margin-top: 28px; }
    article { background: var(--card); border: 1px solid var(--edge); border-radius: 10px; padding: 14px 16px; display: flex; flex-direction: column; }
    article svg { width: 100%; height: auto; margin: 6px 0; } article table { margin-top: auto; }
    .small { border: 0; font-size: 12px; border-radius: 0; } .small td, .small th { padding: 2px 8px; border: 0; }
    .key { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; }
    svg .grid { stroke: var(--edge); stroke-width: 1; } svg .tick { fill: var(--quiet); font: 11px system-ui, sans-serif; }
    svg .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; } svg .band { opacity: .16; }
    svg .event { stroke: var(--quiet); stroke-width: 1; opacity: .12; } svg .phase { opacity: .55; } svg .limit { stroke: var(--bad); stroke-width: 1.4; stroke-dasharray: 5 4; }
    """
}
