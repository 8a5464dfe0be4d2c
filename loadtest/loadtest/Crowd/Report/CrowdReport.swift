import Foundation

/// The figures in the table, the medians and the chart.
extension CrowdResult {
  var summary: String {
    String(
      format: "%.2f ms a join, %.2f ms a publish, %.2f µs a delivery", joinMilliseconds, publishMilliseconds,
      deliveryMicroseconds)
  }

  var fault: String? {
    guard !isValid else { return nil }
    var text = "\(missingDeliveries) of \(messages * people) messages and \(missingOffers) of "
    text += "\(offers + missingOffers) offers are missing"
    return text + (failure.map { "; a connection ended: \($0)" } ?? "")
  }

  static var columns: [Column<Self>] {
    [
      Column("people") { "\($0.people)" }, Column("join ms", 2, \.joinMilliseconds),
      Column("mean join ms", 2, \.meanJoinMilliseconds), Column("publish ms", 2, \.publishMilliseconds),
      Column("unpublish ms", 2, \.unpublishMilliseconds), Column("delivery µs", 2, \.deliveryMicroseconds),
      Column("offer µs", 0, \.offerMicroseconds), Column("loss ms", 2, \.lossMilliseconds),
      Column("resume ms", 2, \.resumeMilliseconds), Column("leave ms", 2, \.leaveMilliseconds),
      Column("joined after ms", 1, \.joinTimeP50), Column("RSS MB", 1, \.residentMegabytes),
      Column("idle %", 1, \.idlePercent), Column("others' CPU %", 0, \.othersPercent),
    ]
  }

  static var medianColumns: [Column<Medians<Self>>] {
    [
      Column("join ms", 2, \.joinMilliseconds), Column("publish ms", 2, \.publishMilliseconds),
      Column("delivery µs", 2, \.deliveryMicroseconds), Column("offer µs", 0, \.offerMicroseconds),
      Column("loss ms", 2, \.lossMilliseconds), Column("resume ms", 2, \.resumeMilliseconds),
      Column("leave ms", 2, \.leaveMilliseconds),
    ]
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    [
      (.joinMilliseconds, \.joinMilliseconds), (.publishMilliseconds, \.publishMilliseconds),
      (.deliveryMicroseconds, \.deliveryMicroseconds), (.offerMicroseconds, \.offerMicroseconds),
      (.lossMilliseconds, \.lossMilliseconds), (.resumeMilliseconds, \.resumeMilliseconds),
      (.leaveMilliseconds, \.leaveMilliseconds),
    ]
  }

  static var charted: [ChartedFigure<Self>] {
    [
      ChartedFigure("CPU for a join", "ms", 2, \.joinMilliseconds),
      ChartedFigure("CPU per publish, without offers", "ms", 2, \.publishMilliseconds),
      ChartedFigure("CPU per delivered message", "µs", 2, \.deliveryMicroseconds),
      ChartedFigure("CPU per offer", "µs", 0, \.offerMicroseconds),
      ChartedFigure("CPU for a leave", "ms", 2, \.leaveMilliseconds),
    ]
  }
}
