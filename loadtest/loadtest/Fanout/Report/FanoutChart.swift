/// Draws the medians of a series as a chart.
enum FanoutChart {
  static func svg(_ series: FanoutSeries) -> String {
    func panel(_ title: String, _ unit: String, _ digits: Int, _ value: (FanoutSeries.Medians) -> Double?) -> BarChart.Panel {
      BarChart.Panel(
        title: title, unit: unit, digits: digits,
        bars: series.medians.compactMap { median in
          value(median).map { BarChart.Bar(name: median.target.rawValue, value: $0) }
        })
    }
    return BarChart.svg([
      panel("CPU per forwarded packet", "µs", 2, \.cpuPerPacket),
      panel("Join to first packet, p50", "ms", 1, \.joinP50),
      panel("Memory per subscriber", "kB", 0, \.kilobytesPerSubscriber),
    ])
  }
}
