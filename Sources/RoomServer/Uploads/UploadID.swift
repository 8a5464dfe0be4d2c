import RoomCluster
import RoomDigests

/// The name of an upload: `u-` and 32 hexadecimal digits, and in a cluster a hyphen and the node that has the file. An id is one
/// path component that begins with `u-`, so no id leaves a directory or names a hidden file.
package struct UploadID: Sendable, Hashable, Encodable, CustomStringConvertible {
  private static let prefix = "u-"
  private static let digits = 32

  package let description: String
  /// The node that has the file; nil if it was uploaded to a server without a cluster.
  package let node: NodeID?

  /// Makes a new id.
  init(at node: NodeID?) {
    let random = (0..<Self.digits / 2).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    self.node = node
    description = Self.prefix + random + (node.map { "-\($0)" } ?? "")
  }

  /// Returns nil if the text is not an id.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.starts(with: Self.prefix.utf8) else { return nil }
    let rest = bytes.dropFirst(Self.prefix.utf8.count)
    let random = rest.prefix(Self.digits)
    guard random.count == Self.digits, random.allSatisfy(Self.isDigit) else { return nil }
    let node = rest.dropFirst(Self.digits)
    if node.isEmpty {
      self.node = nil
    } else {
      guard node.first == UInt8(ascii: "-"), let id = NodeID(String(decoding: node.dropFirst(), as: UTF8.self)) else {
        return nil
      }
      self.node = id
    }
    description = text
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
