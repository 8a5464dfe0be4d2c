/// Draws the medians of a series as a chart.
enum CrowdChart {
  static func svg(_ series: CrowdSeries) -> String {
    func panel(_ title: String, _ unit: String, _ digits: Int, _ value: (CrowdSeries.Medians) -> Double) -> BarChart.Panel {
      BarChart.Panel(
        title: title, unit: unit, digits: digits, bars: series.medians.map { BarChart.Bar(name: $0.target, value: value($0)) })
    }
    return BarChart.svg([
      panel("CPU for a join", "ms", 2, \.joinMilliseconds),
      panel("CPU per publish, without offers", "ms", 2, \.publishMilliseconds),
      panel("CPU per delivered message", "µs", 2, \.deliveryMicroseconds),
      panel("CPU per offer", "µs", 0, \.offerMicroseconds),
      panel("CPU for a leave", "ms", 2, \.leaveMilliseconds),
    ])
  }
}
