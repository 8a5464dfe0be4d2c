/// The name of a node, unique in a cluster.
public struct NodeID: Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
  public let text: String

  /// - Returns: nil unless the name has 1 to 64 letters, digits, `.`, `_` or `-` of ASCII.
  public init?(_ text: String) {
    let isAllowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
    self.text = text
  }

  public init(stringLiteral text: StaticString) { self.text = "\(text)" }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = NodeID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no name of a node")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public static func < (a: Self, b: Self) -> Bool { a.text < b.text }
  public var description: String { text }
}

/// One membership of a node, from its entry to its end. A node whose lease has ended enters again under a new one, so that an
/// incarnation that ended is never a member again.
public struct Incarnation: Sendable, Hashable, CustomStringConvertible {
  public let node: NodeID
  /// The store's count of entries. Members with a smaller one entered earlier.
  public let epoch: Int64
  /// A random number of the node's process: should the store lose an entry, its number returns with another process.
  public let process: UInt64

  public init(node: NodeID, epoch: Int64, process: UInt64) {
    self.node = node
    self.epoch = epoch
    self.process = process
  }

  /// Parses ``description``; nil for other texts.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let node = NodeID(String(parts[0])), let epoch = Int64(parts[1]),
      let process = UInt64(parts[2], radix: 16)
    else { return nil }
    self.init(node: node, epoch: epoch, process: process)
  }

  public var description: String { "\(node):\(epoch):\(String(process, radix: 16))" }
}

extension Incarnation: Comparable {
  public static func < (a: Self, b: Self) -> Bool { (a.node, a.epoch, a.process) < (b.node, b.epoch, b.process) }
}

extension Incarnation: Codable {
  /// Decodes ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let incarnation = Incarnation(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no incarnation of a node")
    }
    self = incarnation
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
