import Foundation
import Testing

/// A page of documentation and the shell commands in it.
struct Page: CustomTestStringConvertible {
  /// A fenced shell block.
  struct Block {
    /// The line of its first command in the page, starting at 1.
    let line: Int
    let text: String
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  /// The path relative to the project's folder.
  let path: String
  let blocks: [Block]

  var testDescription: String { path }

  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    var blocks: [Block] = []
    var open: (line: Int, lines: [String])?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if let block = open {
        if line == "```" {
          blocks.append(Block(line: block.line, text: block.lines.joined(separator: "\n")))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line == "```sh" {
        open = (index + 2, [])
      }
    }
    self.blocks = blocks
  }

  /// Returns every page with commands.
  static func all() throws -> [Page] {
    let pages = try ["docs", "api"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path).map { "\(folder)/\($0)" }
    }
    return try (["README.md"] + pages).filter { $0.hasSuffix(".md") }.sorted().map(Page.init).filter { !$0.blocks.isEmpty }
  }
}
