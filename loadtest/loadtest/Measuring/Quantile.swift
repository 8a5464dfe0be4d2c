extension [Double] {
  /// Returns the quantile for `fraction`, the nearest value without interpolation (the lower median of an even count); nil if
  /// there are no values.
  func quantile(_ fraction: Double) -> Double? {
    guard !isEmpty else { return nil }
    let rank = Int((fraction * Double(count)).rounded(.up)) - 1
    return sorted()[Swift.min(Swift.max(rank, 0), count - 1)]
  }
}
