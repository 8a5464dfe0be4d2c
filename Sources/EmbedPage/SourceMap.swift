import Foundation

/// A source map (ECMA-426) of a module that differs from its source only by lines that were left out.
struct SourceMap: Encodable {
  var version = 3
  var file: String
  var sources: [String]
  var sourcesContent: [String]
  var names: [String] = []
  var mappings: String

  /// - Parameter lines: the numbers of the source's lines that the module has, from 0.
  init(of source: String, named name: String, file: String, lines: [Int]) throws {
    self.file = file
    sources = [name]
    sourcesContent = [source]
    var before = 0
    mappings = lines.map { line in
      defer { before = line }
      // The column in the module, the source, the difference to the previous line, and the column in the source.
      return "AA\(Self.digits(of: line - before))A"
    }.joined(separator: ";")
  }

  var json: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// Returns a number of at least 0 in base 64: the sign is the lowest bit, and digits of 5 bits follow, the lowest first.
  private static func digits(of number: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var rest = number << 1
    var digits = ""
    repeat {
      digits.append(alphabet[rest & 31 | (rest > 31 ? 32 : 0)])
      rest >>= 5
    } while rest > 0
    return digits
  }
}
