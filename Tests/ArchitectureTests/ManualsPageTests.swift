import Foundation
import Testing

@Suite("docs/manuals.md")
struct ManualsPageTests {
  /// The links of a table row: its text in code style, and the path from the root.
  private static func links(in text: String) -> [(symbol: String, path: String)] {
    text.matches(of: /\[`([^`]+)`\]\(\.\.\/([^)]+)\)/).map { (String($0.1), String($0.2)) }
  }

  @Test("each link leads to a file that contains the symbol, and each row has a symbol or a sentence") func symbols() throws {
    let page = try String(contentsOf: Repository.root.appending(path: "docs/manuals.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| manual |") }
    #expect(rows.count >= 70)
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count == 5 && !cells[2].isEmpty, "\(row)")
      // A row that names a symbol also names a test.
      #expect(Self.links(in: cells[2]).isEmpty || !Self.links(in: cells[3]).isEmpty, "\(row)")
    }
    for (symbol, path) in Self.links(in: page) {
      let file = Repository.root.appending(path: path)
      // A test is linked by its file.
      if path.hasPrefix("Tests/") {
        #expect(FileManager.default.fileExists(atPath: file.path), "\(path)")
        continue
      }
      let text = try String(contentsOf: file, encoding: .utf8)
      // "push(_:to:)" is found by its base name.
      let name = symbol.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      let isFound = text.contains(name)
      #expect(isFound, "\(symbol) is not in \(path)")
    }
  }
}
