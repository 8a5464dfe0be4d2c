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
      panel("CPU per viewer, of one core", "%", 4, \.cpuPercentPerViewer),
      panel("CPU per delivered message", "µs", 2, \.cpuPerMessage),
      panel("Connection to first picture, p50", "ms", 0, \.joinP50),
      panel("Memory per viewer", "kB", 1, \.kilobytesPerViewer),
    ])
  }
}
