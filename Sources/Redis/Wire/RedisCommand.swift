/// A command: its name and its arguments as bytes.
public struct RedisCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
  public var parts: [[UInt8]]

  public init(_ parts: [[UInt8]]) { self.parts = parts }
  public init(_ parts: [String]) { self.parts = parts.map { Array($0.utf8) } }
  public init(arrayLiteral parts: String...) { self.init(parts) }

  /// The number of bytes on the wire, without the short headers.
  var size: Int { parts.reduce(16) { $0 + $1.count + 16 } }

  /// Appends the command in RESP2.
  func write(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "*\(parts.count)\r\n".utf8)
    for part in parts {
      bytes.append(contentsOf: "$\(part.count)\r\n".utf8)
      bytes.append(contentsOf: part)
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }
}
