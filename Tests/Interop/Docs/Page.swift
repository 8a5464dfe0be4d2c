import Foundation
import Testing

/// A page of documentation and the code of one language in it.
struct Page: CustomTestStringConvertible {
  /// A fenced block.
  struct Block {
    /// The line of its first text in the page, starting at 1.
    let line: Int
    let text: String
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  /// The path relative to the project's folder.
  let path: String
  let blocks: [Block]

  var testDescription: String { path }

  /// - Parameter language: that of the blocks, as after the fence; shell commands by default.
  init(_ path: String, language: String = "sh") throws {
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
      } else if line == "```\(language)" {
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
    let paths = (["README.md"] + pages).filter { $0.hasSuffix(".md") }.sorted()
    return try paths.map { try Page($0) }.filter { !$0.blocks.isEmpty }
  }
}
