/// Computes the figures of the changes of layers.
struct LayerChangeFigures: Sendable {
  let record: LayerChanges
  /// The number of changes in the plan.
  let planned: Int
  /// The page's samples of the same time.
  let samples: [PageSample]

  func figures() -> [NetworkFigure: Double] {
    var figures: [NetworkFigure: Double] = [:]
    let times = record.changes.compactMap { change in change.shown.map { $0 - change.asked } }
    figures[.layerChanges] = Double(times.count)
    figures[.layerChangesMissed] = Double(planned - times.count)
    figures[.layerChangeP50] = times.quantile(0.5)
    figures[.layerChangeP95] = times.quantile(0.95)
    figures[.layerChangeMax] = times.max()
    figures[.longestFreeze] = longestFreeze
    figures[.longestGap] = zip(record.pictures, record.pictures.dropFirst()).map { $1.at - $0.at }.max()
    if let first = samples.first?.video, let last = samples.last?.video {
      func growth(_ counter: KeyPath<PageSample.Stream, Double?>) -> Double {
        (last[keyPath: counter] ?? 0) - (first[keyPath: counter] ?? 0)
      }
      figures[.dropped] = growth(\.framesDropped)
      let decoders = samples.compactMap(\.video.decoderImplementation)
      let decoderChanges = zip(decoders, decoders.dropFirst()).count { $0 != $1 }
      figures[.decoderFaults] = growth(\.pliCount) + growth(\.firCount) + Double(decoderChanges)
    }
    figures[.offsetMoves] = offsetMoves
    return figures
  }

  /// The longest freeze in ms. Of several that ended between two samples, it is their sum.
  private var longestFreeze: Double {
    let frozen = samples.map { $0.video.totalFreezesDuration ?? 0 }
    return (zip(frozen, frozen.dropFirst()).map { $1 - $0 }.max() ?? 0) * 1000
  }

  private var offsetMoves: Double? {
    let offsets = samples.compactMap { sample -> Double? in
      guard let sound = sample.audio.estimatedPlayoutTimestamp, let picture = sample.video.estimatedPlayoutTimestamp else {
        return nil
      }
      return sound - picture
    }
    guard let median = offsets.quantile(0.5) else { return nil }
    return offsets.map { abs($0 - median) }.quantile(0.95)
  }
}
