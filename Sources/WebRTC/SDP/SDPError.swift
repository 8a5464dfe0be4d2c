/// An error in a session description, with its line.
public struct SDPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line number, starting at 1; nil if the error concerns the whole description.
  public var line: Int?
  /// A sentence without a full stop.
  public var reason: String

  public init(line: Int? = nil, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  public var description: String { line.map { "line \($0) of the SDP: \(reason)" } ?? "the SDP: \(reason)" }
}
