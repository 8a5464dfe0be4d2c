/// The figures in the table and the medians.
extension NetworkResult {
  var summary: String {
    func text(_ name: String, _ figure: NetworkFigure, _ unit: String) -> String? {
      self[figure].map { "\(name) \(FigureText.number($0, unit: unit))" }
    }
    return [
      text("fps", .fpsP50, ""), text("still", .stillMax, ""), text("frozen", .frozen, "%"), text("concealed", .concealed, "%"),
      text("silence", .silenceMax, "ms"), text("offered", .offered, "%"), text("changes", .layerChanges, ""),
      text("longest freeze", .longestFreeze, "ms"), text("late", .lateness, "ms"),
    ].compactMap { $0 }.joined(separator: ", ")
  }

  var fault: String? {
    let doubt = isTrustworthy ? [] : ["does not count, because the link or the publisher was late"]
    let faults = doubt + broken
    return faults.isEmpty ? nil : faults.joined(separator: "; ")
  }

  /// The columns: a title, the number of decimals, and one or more figures.
  private static let shown: [(title: String, digits: Int, figures: [NetworkFigure])] = [
    ("fps p5 / p50", 0, [.fpsP5, .fpsP50]), ("paused % video / sound", 0, [.paused, .soundPaused]), ("frozen %", 1, [.frozen]),
    ("still pictures mean / max", 1, [.stillMean, .stillMax]),
    ("wait ms p95 / max", 0, [.waitP95, .waitMax]),
    ("concealed / audibly %", 1, [.concealed, .invented]), ("silence ms p95 / max", 0, [.silenceP95, .silenceMax]),
    ("picture delay ms p50 / p95", 0, [.delayP50, .delayP95]), ("sound delay ms p95", 0, [.soundDelayP95]),
    ("height", 0, [.height]), ("changes", 0, [.changes]), ("settled s", 1, [.settled]),
    ("NACK / key frame requests a s", 1, [.nacks, .keyFrameRequests]), ("offered %", 0, [.offered]),
    ("resent %", 1, [.resent]), ("queue ms p50 / p95", 0, [.queueP50, .queueP95]),
    ("layer changes / missed", 0, [.layerChanges, .layerChangesMissed]),
    ("change ms p50 / p95 / max", 0, [.layerChangeP50, .layerChangeP95, .layerChangeMax]),
    ("longest freeze / gap ms", 0, [.longestFreeze, .longestGap]),
    ("dropped / decoder faults", 0, [.dropped, .decoderFaults]),
    ("offset moves ms", 0, [.offsetMoves]), ("sound / picture back s", 1, [.soundBack, .pictureBack]),
    ("media / TCP kbit/s", 0, [.media, .tcp]),
    ("CPU %", 1, [.serverCPU]), ("others' CPU %", 0, [.othersCPU]),
    ("late ms link / publisher", 1, [.lateness, .publisherLateness]),
  ]

  private static func text(_ digits: Int, _ figures: [NetworkFigure], _ value: (NetworkFigure) -> Double?) -> String {
    guard figures.contains(where: { value($0) != nil }) else { return "" }
    return figures.map { MarkdownTable.number(value($0), digits) }.joined(separator: " / ")
  }

  static var columns: [Column<Self>] {
    shown.map { title, digits, figures in Column(title) { row in text(digits, figures) { row[$0] } } }
  }

  static var medianColumns: [Column<Medians<Self>>] {
    shown.map { title, digits, figures in
      Column(title) { row in text(digits, figures) { row[dynamicMember: \NetworkResult.[$0]] } }
    }
  }

  static var medianFigures: [(name: CodingKeys, value: (Medians<Self>) -> Double?)] {
    NetworkFigure.allCases.map { figure in (figure, { $0[dynamicMember: \NetworkResult.[figure]] }) }
  }

  static var charted: [ChartedFigure<Self>] {
    let figures: [(String, String, Int, NetworkFigure)] = [
      ("The picture stood still", "%", 1, .frozen), ("Sound was missing", "%", 1, .concealed),
      ("Longest silence", "ms", 0, .silenceMax), ("Pictures per second, median", "fps", 0, .fpsP50),
      ("Sent into the link, as a share of its rate", "%", 0, .offered),
    ]
    return figures.map { title, unit, digits, figure in
      ChartedFigure(title, unit, digits) { $0[dynamicMember: \NetworkResult.[figure]] }
    }
  }
}
