import Foundation

/// The table of costs, followed by the summary.
extension MixResult {
  var text: String {
    let names: [(BaselineStep, String)] = [
      (.decode, "decode \(sources) x H.264"), (.compose, "decoded, scaled and stacked"),
      (.encode, "the same, encoded by x264"),
      (.sound, "\(sources) x Opus, mixed, encoded as AAC"),
    ]
    var rows = names.map { ("ffmpeg: \($1)", percent(steps[$0.rawValue])) }
    rows += [
      ("ffmpeg: everything, with `overlay` instead of `xstack`", percent(steps[BaselineStep.overlay.rawValue])),
      (
        "ffmpeg: everything, at full speed, before and after the server",
        "\(percent(bareBefore)), \(percent(bareAfter))"
      ),
      (
        "ffmpeg: everything, \(isPK ? 1 : programs) in parallel in real time, before and after",
        "\(percent(realTimeBefore)), \(percent(realTimeAfter))"
      ),
      ("server: publishers only", percent(roomsPerProgram)),
      ("**server: everything**", "**\(percent(coresPerProgram))**"),
    ]
    let lines = MarkdownTable.lines(["CPU per program", "% of a core"], rows.map { [$0.0, $0.1] })
    return (lines + ["", sentences]).joined(separator: "\n")
  }

  private var sentences: String {
    let rates = programFPS.map { number($0, 1) }.joined(separator: ", ")
    let shared =
      isPK ? ", each of a room in one PK" : isShared ? " of the same \(sources) sources" : " of \(sources) sources each"
    return [
      "\(programs) programs\(shared), \(size) at \(fps) fps and \(kilobits) kbit/s, "
        + "from \(sourceSize), \(number(seconds, 1)) s.",
      (isPK ? "all programs of the server : one of ffmpeg" : "server : ffmpeg")
        + " = \(number(ratio, 3)) at full speed, \(number(ratioToRealTime, 3)) in real time; "
        + "\(number(programsPerCore, 2)) programs per core.",
      "Sent: \(rates) fps; \(count(frames)) frames encoded, \(count(skipped)) skipped.",
      "Decoded: \(count(decodedTracks)) tracks for \(count(decodedUses)) uses, \(count(decoded)) pictures and "
        + "packets, \(count(undecodable)) undecodable; \(refused) frames refused at a source.",
      "The server used \(percent(cores)) % of a core (kernel \(number(systemPercent, 0)) %) and "
        + "\(number(residentMegabytes, 0)) MB, the publishers \(number(botsPercent, 0)) %, "
        + "others \(number(othersPercent, 0)) %.",
    ].joined(separator: "\n")
  }

  private func number(_ value: Double?, _ digits: Int) -> String { MarkdownTable.number(value, digits) }
  private func percent(_ cores: Double?) -> String { number(cores.map { $0 * 100 }, 1) }
  private func count(_ value: Int64?) -> String { value.map { "\($0)" } ?? "–" }
}
