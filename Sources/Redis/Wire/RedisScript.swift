import RoomDigests

/// A Lua script that the server runs atomically.
public struct RedisScript: Sendable, Hashable {
  public let source: String
  /// The digest by which `EVALSHA` names the script.
  let digest: String

  public init(_ source: String) {
    self.source = source
    digest = Digest.sha1.digest(of: Array(source.utf8)).hexadecimal
  }

  /// Returns the command that runs the script.
  /// - Parameter isKnown: whether the server has the script: its digest suffices.
  func command(keys: [String], arguments: [[UInt8]], isKnown: Bool) -> RedisCommand {
    RedisCommand(
      [Array((isKnown ? "EVALSHA" : "EVAL").utf8), Array((isKnown ? digest : source).utf8), Array("\(keys.count)".utf8)]
        + keys.map { Array($0.utf8) } + arguments)
  }
}
