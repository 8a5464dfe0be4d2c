import Foundation

/// `embed-page OUTPUT FILE…`: writes a Swift file that contains the text of the others. Part of the build, not of the product.
///
/// The text is stored in string literals: SwiftPM's own `.embedInCode` writes arrays of numbers, which take the compiler 15 s
/// for 80 kB, while a literal takes no measurable time.
@main
struct EmbedPage {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let output = arguments.first else { throw Failure(description: "usage: embed-page OUTPUT FILE…") }
    var code = "/// The files of the page by their names; made by the build.\nenum EmbeddedPage {\n"
    code += "  static let files: [(name: String, text: String)] = [\n"
    for path in arguments.dropFirst() {
      let name = URL(filePath: path).lastPathComponent
      var text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
      if name.hasSuffix(".js") { text = withoutComments(text) }
      // More number signs than any run in the text, so that the text can't end the literal or contain an escape.
      let fence = String(repeating: "#", count: longestRun(of: "#", in: text) + 1)
      code += "    (\n      \(fence)\"\(name)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)\n    ),\n"
    }
    code += "  ]\n}\n"
    try code.write(to: URL(filePath: output), atomically: true, encoding: .utf8)
  }

  /// Removes the lines of a module that are only a comment: a sixth of the compressed modules.
  private static func withoutComments(_ text: String) -> String {
    var isInside = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      let rest = line.drop { $0 == " " }
      // A type may stand before code in its line.
      let begins = rest.hasPrefix("/**") && (rest.hasSuffix("*/") || !rest.contains("*/"))
      let isComment = isInside || begins || rest.hasPrefix("//")
      if isInside || begins { isInside = !rest.hasSuffix("*/") }
      return !isComment
    }.joined(separator: "\n")
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
