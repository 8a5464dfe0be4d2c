/// The lifetime of a token in text form: "30s", "90m", "2h", "1d".
public struct TimeToLive: Sendable, Hashable {
  public var seconds: Int

  public init(seconds: Int) { self.seconds = seconds }

  /// Parses a whole number with a unit: s, m, h or d; more than zero and at most ten years. Nil for anything else.
  public init?(_ text: String) {
    let factors: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    guard let unit = text.last, let factor = factors[unit] else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, (1...10 * 365 * 86400).contains(seconds) else { return nil }
    self.seconds = seconds
  }
}
