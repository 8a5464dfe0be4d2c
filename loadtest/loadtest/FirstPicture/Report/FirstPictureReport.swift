import Foundation

/// The figures in the table, the medians and the chart.
extension FirstPictureResult {
  var summary: String {
    String(format: "picture after %.0f ms, p99 %.0f ms, of %d joins", pictureP50, pictureP99, joins)
  }

  var fault: String? {
    guard !isValid else { return nil }
    return "\(failures) of \(joins) joins had no picture" + (failure.map { ": \($0)" } ?? "")
  }

  static var columns: [Column<Self>] {
    [
      Column("joins") { "\($0.joins)" }, column("joined", \.joined), column("offered", \.offered),
      column("connected", \.connected), column("packet", \.packet), column("key frame", \.keyFrame),
      Column("picture p50 / p95 / p99 ms", 0, \.pictureP50, \.pictureP95, \.pictureP99),
      Column("from ring, requests") { "\(count($0.startsFromRing)), \(count($0.keyFrameRequests))" },
      Column("CPU %", 0, \.cpuPercent), Column("bots' CPU %", 0, \.botsPercent), Column("others' CPU %", 0, \.othersPercent),
      Column("late p99 ms: joins, pictures", 0, \.joinLateness, \.publisherLateness),
    ]
  }

  private static func column(_ name: String, _ spread: @escaping (Self) -> Spread) -> Column<Self> {
    Column("\(name) p50 / p99", 0, { spread($0).p50 }, { spread($0).p99 })
  }

  private static func count(_ value: Int64?) -> String { value.map { "\($0)" } ?? "–" }

  static var medianColumns: [Column<Medians<Self>>] {
    [
      Column("connected p50 ms", 0, { $0[dynamicMember: \.connected.p50] }),
      Column("packet p50 ms", 0, { $0[dynamicMember: \.packet.p50] }),
      Column("key frame p50 ms", 0, { $0[dynamicMember: \.keyFrame.p50] }),
      Column("picture p50 / p95 / p99 ms", 0, \.pictureP50, \.pictureP95, \.pictureP99), Column("CPU %", 0, \.cpuPercent),
    ]
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    [(.pictureP50, \.pictureP50), (.pictureP95, \.pictureP95), (.pictureP99, \.pictureP99), (.cpuPercent, \.cpuPercent)]
  }

  static var charted: [ChartedFigure<Self>] {
    [
      ChartedFigure("Join to first picture, p50", "ms", 0, \.pictureP50),
      ChartedFigure("Join to first picture, p99", "ms", 0, \.pictureP99),
    ]
  }
}
