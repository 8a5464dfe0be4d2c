/// A publish URL whose `serialnum` orders jobs: the one with the larger number takes over.
struct SerialURL: Sendable, Hashable {
  /// The text before the number; it ends with `serialnum=`.
  private let head: String
  /// The text after the number.
  private let tail: String
  /// The number; 0 if the URL has none, as on the server.
  let number: Int

  private static let name = "serialnum="

  /// Returns nil if `serialnum` is not a number.
  init?(_ text: String) {
    guard let found = Self.parameter(in: text) else {
      head = text + (Self.hasQuery(text) ? "&" : "?") + Self.name
      tail = ""
      number = 0
      return
    }
    guard let number = Int(text[found]), number >= 0 else { return nil }
    self.number = number
    head = String(text[..<found.lowerBound])
    tail = String(text[found.upperBound...])
  }

  /// Returns the URL with another number.
  func with(_ number: Int) -> String { "\(head)\(number)\(tail)" }

  /// Returns the range of the digits.
  private static func parameter(in text: String) -> Range<String.Index>? {
    var rest = text[...]
    while let range = rest.firstRange(of: name) {
      let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
      if before == "?" || before == "&" {
        return range.upperBound..<(text[range.upperBound...].firstIndex(of: "&") ?? text.endIndex)
      }
      rest = text[range.upperBound...]
    }
    return nil
  }

  /// Returns whether the stream has a query. In `app?vhost=x/stream` only the application has one. SRT's stream id is in the query.
  private static func hasQuery(_ text: String) -> Bool {
    guard let question = text.firstIndex(of: "?") else { return false }
    if text.lowercased().hasPrefix("srt:") { return true }
    let path = text[..<question].split(separator: "/").dropFirst(text.contains("://") ? 2 : 0)
    guard path.count == 1, let slash = text[question...].lastIndex(of: "/") else { return true }
    return text[slash...].contains("?")
  }
}
