import Foundation

/// Formats a result as readable Markdown.
enum MixTable {
  static func text(_ result: MixResult) -> String {
    let names: [(BaselineStep, String)] = [
      (.decode, "decode \(result.sources) x H.264"), (.compose, "decoded, scaled and stacked"),
      (.encode, "the same, encoded by x264"),
      (.sound, "\(result.sources) x Opus, mixed, encoded as AAC"),
    ]
    var rows = names.map { ("ffmpeg: \($1)", percent(result.steps[$0.rawValue])) }
    rows += [
      ("ffmpeg: everything, with `overlay` instead of `xstack`", percent(result.steps[BaselineStep.overlay.rawValue])),
      (
        "ffmpeg: everything, at full speed, before and after the server",
        "\(percent(result.bareBefore)), \(percent(result.bareAfter))"
      ),
      (
        "ffmpeg: everything, \(result.programs) in parallel in real time, before and after",
        "\(percent(result.realTimeBefore)), \(percent(result.realTimeAfter))"
      ),
      ("server: publishers only", percent(result.roomsPerProgram)),
      ("**server: everything**", "**\(percent(result.coresPerProgram))**"),
    ]
    let lines =
      [MarkdownTable.row(["CPU per program", "% of a core"]), MarkdownTable.row(["---", "---"])]
      + rows.map { MarkdownTable.row([$0.0, $0.1]) }
    return (lines + ["", sentences(result)]).joined(separator: "\n")
  }

  private static func sentences(_ result: MixResult) -> String {
    let rates = result.programFPS.map { number($0, 1) }.joined(separator: ", ")
    let shared = result.isShared ? " of the same \(result.sources) sources" : " of \(result.sources) sources each"
    return [
      "\(result.programs) programs\(shared), \(result.size) at \(result.fps) fps and \(result.kilobits) kbit/s, "
        + "from \(result.sourceSize), \(number(result.seconds, 1)) s.",
      "server : ffmpeg = \(number(result.ratio, 3)) at full speed, \(number(result.ratioToRealTime, 3)) in real time; "
        + "\(number(result.programsPerCore, 2)) programs per core.",
      "Sent: \(rates) fps; \(count(result.frames)) frames encoded, \(count(result.skipped)) skipped.",
      "Decoded: \(count(result.decodedTracks)) tracks for \(count(result.decodedUses)) uses, \(count(result.decoded)) pictures and "
        + "packets, \(count(result.undecodable)) undecodable; \(result.refused) frames refused at a source.",
      "The server used \(percent(result.cores)) % of a core (kernel \(number(result.systemPercent, 0)) %) and "
        + "\(number(result.residentMegabytes, 0)) MB, the publishers \(number(result.botsPercent, 0)) %, "
        + "others \(number(result.othersPercent, 0)) %.",
    ].joined(separator: "\n")
  }

  private static func number(_ value: Double?, _ digits: Int) -> String { MarkdownTable.number(value, digits) }
  private static func percent(_ cores: Double?) -> String { number(cores.map { $0 * 100 }, 1) }
  private static func count(_ value: Int64?) -> String { value.map { "\($0)" } ?? "–" }
}
