import Foundation

/// Rows and numbers of Markdown tables.
enum MarkdownTable {
  static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// A dash where there is no value.
  static func number(_ value: Double?, _ digits: Int) -> String { value.map { String(format: "%.\(digits)f", $0) } ?? "–" }
}
