/// Draws the medians of a series as a chart.
enum ViewersChart {
  static func svg(_ series: ViewersSeries) -> String {
    func panel(_ title: String, _ unit: String, _ digits: Int, _ value: (ViewersSeries.Medians) -> Double?) -> BarChart.Panel {
      BarChart.Panel(
        title: title, unit: unit, digits: digits,
        bars: series.medians.compactMap { median in
          value(median).map { BarChart.Bar(name: median.target.rawValue, value: $0) }
        })
    }
    return BarChart.svg([
      panel("CPU for each viewer, of one core", "%", 4, \.cpuPercentPerViewer),
      panel("CPU for each delivered message", "µs", 2, \.cpuPerMessage),
      panel("Connecting to the first picture, p50", "ms", 0, \.joinP50),
      panel("Memory for each viewer", "kB", 1, \.kilobytesPerViewer),
    ])
  }
}
