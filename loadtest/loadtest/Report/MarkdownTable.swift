import Foundation

/// Formats tables and numbers in Markdown.
enum MarkdownTable {
  /// Returns the lines of a table.
  static func lines(_ head: [String], _ rows: [[String]]) -> [String] {
    ([head, head.map { _ in "---" }] + rows).map(row)
  }

  static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// Returns a dash if there is no value.
  static func number(_ value: Double?, _ digits: Int) -> String { value.map { String(format: "%.\(digits)f", $0) } ?? "–" }
}
