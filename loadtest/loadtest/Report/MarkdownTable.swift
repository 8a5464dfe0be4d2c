import Foundation

/// Formats rows and numbers of Markdown tables.
enum MarkdownTable {
  static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// Returns a dash if there is no value.
  static func number(_ value: Double?, _ digits: Int) -> String { value.map { String(format: "%.\(digits)f", $0) } ?? "–" }
}
