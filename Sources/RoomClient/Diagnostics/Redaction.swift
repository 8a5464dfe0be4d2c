import Foundation

/// Removes secrets from text that leaves the machine: room tokens, the queries of URLs (they carry stream keys and signatures),
/// and the user and password of a URL.
enum Redaction {
  private static let rules: [(pattern: String, replacement: String)] = [
    (#"eyJ[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+(\.[A-Za-z0-9_=-]*)?"#, "(token)"),
    (#"([a-z]+://)[^/@\s"]+@"#, "$1(user)@"),
    (#"([a-z]+://[^\s"?]*)\?[^\s"\\]*"#, "$1?(query)"),
    (#"(?i)(bearer|token|secret|passphrase|password)([=:] ?)[^\s",&]+"#, "$1$2(hidden)"),
  ]

  static func apply(to text: String) -> String {
    rules.reduce(text) { text, rule in
      text.replacingOccurrences(of: rule.pattern, with: rule.replacement, options: .regularExpression)
    }
  }
}
