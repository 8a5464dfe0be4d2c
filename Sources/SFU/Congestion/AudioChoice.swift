/// Selects the audio that a subscriber gets if its path does not carry all of it: those who speak first, and then those who are
/// sent already.
enum AudioChoice {
  struct Demand {
    /// In bits per second.
    var rate: Int
    var isSpeaking: Bool
    /// Whether it is sent now.
    var isSent: Bool
  }

  /// The room that another stream needs, as a factor of its bitrate.
  private static let margin = 1.15

  /// Returns whether each stream is sent. One is in any case.
  static func choose(_ demands: [Demand], bitrate: Int) -> [Bool] {
    var isSent = [Bool](repeating: false, count: demands.count)
    var left = Double(bitrate)
    let order = demands.indices.sorted { first, second in
      func place(_ index: Int) -> (Int, Int, Int) { (demands[index].isSpeaking ? 0 : 1, demands[index].isSent ? 0 : 1, index) }
      return place(first) < place(second)
    }
    for (position, index) in order.enumerated() {
      let demand = demands[index]
      guard position == 0 || Double(demand.rate) * (demand.isSent ? 1 : margin) <= left else { continue }
      isSent[index] = true
      left -= Double(demand.rate)
    }
    return isSent
  }
}
