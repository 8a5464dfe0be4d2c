import Foundation

/// The JSON of this server: keys in a fixed order, slashes as they are.
package enum JSON {
  package static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
