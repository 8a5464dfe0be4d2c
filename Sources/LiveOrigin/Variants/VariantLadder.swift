/// Chooses smaller variants of a stream, for players that adapt to their network.
public enum VariantLadder {
  /// The maximum number of pixels of a variant divided by those of the next larger picture. A smaller difference is not worth a
  /// transcoder.
  private static let step = 0.6
  /// The maximum difference of the proportions without black bars.
  private static let tolerance = 0.02

  /// Returns at most `count` variants, largest first. The variants have the proportions of the source, or else the most similar
  /// ones of the same orientation.
  /// - Parameters:
  ///   - frameRate: the source's rate in frames per second.
  ///   - bitrate: the maximum bit rate of a variant's video, in bps.
  public static func variants(
    of source: String, width: Int, height: Int, frameRate: Double, bitrate: Int, count: Int
  ) -> [StreamVariant] {
    guard width > 0, height > 0, count > 0 else { return [] }
    let proportion = Double(width) / Double(height)
    func difference(_ size: [Int]) -> Double { abs(Double(size[0]) / Double(size[1]) / proportion - 1) }
    let candidates = StreamVariant.sizes.filter { ($0[0] < $0[1]) == (width < height) && $0[0] <= width && $0[1] <= height }
    guard let least = candidates.map(difference).min() else { return [] }
    let rate = StreamVariant.frameRates.filter { Double($0) <= frameRate + 0.5 }.max() ?? StreamVariant.frameRates.min() ?? 10
    let fitting = candidates.filter { difference($0) <= max(tolerance, least) }.sorted { $0[0] * $0[1] > $1[0] * $1[1] }
    var pixels = Double(width * height)
    var chosen: [StreamVariant] = []
    for size in fitting where chosen.count < count && Double(size[0] * size[1]) <= pixels * step {
      guard let variant = StreamVariant("\(source)_\(size[0])_\(size[1])_\(rate)"),
        VariantTranscoder.bitrate(variant) <= bitrate
      else { continue }
      chosen.append(variant)
      pixels = Double(size[0] * size[1])
    }
    return chosen
  }
}
