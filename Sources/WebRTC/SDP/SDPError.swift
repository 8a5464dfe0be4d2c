/// What is wrong with a session description, and in which of its lines.
public struct SDPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1; nil if the description as a whole is meant.
  public var line: Int?
  /// A sentence without its full stop.
  public var reason: String

  public init(line: Int? = nil, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  public var description: String { line.map { "line \($0) of the SDP: \(reason)" } ?? "the SDP: \(reason)" }
}
