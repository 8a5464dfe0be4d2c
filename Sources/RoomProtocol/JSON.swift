import Foundation

/// The server's JSON output: sorted keys, slashes not escaped.
package enum JSON {
  package static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
