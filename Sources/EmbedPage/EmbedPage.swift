import Foundation

/// `embed-page [--maps] OUTPUT FILE…`: writes a Swift file that contains the text of the others, and with `--maps` a source map of
/// each module. Part of the build, not of the product.
///
/// The text is stored in string literals: SwiftPM's own `.embedInCode` writes arrays of numbers, which take the compiler 15 s
/// for 80 kB, while a literal takes no measurable time.
@main
struct EmbedPage {
  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    let mapped = arguments.first == "--maps"
    if mapped { arguments.removeFirst() }
    guard let output = arguments.first else { throw Failure(description: "usage: embed-page [--maps] OUTPUT FILE…") }
    var code = "/// The files of the page by their names; made by the build.\nenum EmbeddedPage {\n"
    code += "  static let files: [(name: String, text: String)] = [\n"
    for path in arguments.dropFirst() {
      let name = URL(filePath: path).lastPathComponent
      let source = try String(contentsOf: URL(filePath: path), encoding: .utf8)
      guard name.hasSuffix(".js") else {
        code += literal(name, source)
        continue
      }
      let kept = linesWithoutComments(of: source)
      let text = kept.map(\.text).joined(separator: "\n")
      guard mapped else {
        code += literal(name, text)
        continue
      }
      let folder = URL(filePath: path).deletingLastPathComponent().lastPathComponent
      let map = try SourceMap(of: source, named: "\(folder)/\(name)", file: name, lines: kept.map(\.number))
      code += try literal(name, text + "//# sourceMappingURL=\(name).map\n") + literal("\(name).map", map.json)
    }
    code += "  ]\n}\n"
    try code.write(to: URL(filePath: output), atomically: true, encoding: .utf8)
  }

  private static func literal(_ name: String, _ text: String) -> String {
    // More number signs than any run in the text, so that the text can't end the literal or contain an escape.
    let fence = String(repeating: "#", count: longestRun(of: "#", in: text) + 1)
    return "    (\n      \(fence)\"\(name)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)\n    ),\n"
  }

  /// Returns the lines of a module that are not only a comment, which is a sixth of the compressed modules, with their numbers from 0.
  private static func linesWithoutComments(of text: String) -> [(number: Int, text: Substring)] {
    var isInside = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    return lines.filter { _, line in
      let rest = line.drop { $0 == " " }
      // A type may stand before code in its line.
      let begins = rest.hasPrefix("/**") && (rest.hasSuffix("*/") || !rest.contains("*/"))
      let isComment = isInside || begins || rest.hasPrefix("//")
      if isInside || begins { isInside = !rest.hasSuffix("*/") }
      return !isComment
    }.map { (number: $0.offset, text: $0.element) }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static func longestRun(of wanted: Character, in text: String) -> Int {
    var longest = 0
    var current = 0
    for character in text {
      current = character == wanted ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}
