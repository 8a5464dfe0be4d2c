/// A publish URL whose `serialnum` orders jobs: the one with the larger number takes over.
struct SerialURL: Sendable, Hashable {
  /// What stands before the number, ends with `serialnum=`.
  private let head: String
  /// What stands behind it.
  private let tail: String
  /// 0 where the URL names none, as the server counts.
  let number: Int

  private static let name = "serialnum="

  /// Nil where the number is none.
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

  /// The URL with another number.
  func with(_ number: Int) -> String { "\(head)\(number)\(tail)" }

  /// Where the digits are.
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

  /// Whether the stream has a query: `app?vhost=x/stream` has one of the application alone.
  private static func hasQuery(_ text: String) -> Bool {
    guard let question = text.firstIndex(of: "?") else { return false }
    let path = text[..<question].split(separator: "/").dropFirst(text.contains("://") ? 2 : 0)
    guard path.count == 1, let slash = text[question...].lastIndex(of: "/") else { return true }
    return text[slash...].contains("?")
  }
}
