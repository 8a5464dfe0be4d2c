/// A text that must not appear in a log, an error or a dump. Printing it, or a value that contains it, prints `hidden`.
///
/// ```swift
/// let secret: Secret = "of forty bytes"
/// print(secret)  // hidden
/// sign(with: secret.value)
/// ```
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text itself. Do not use it in output.
  public let value: String

  public init(_ value: String) { self.value = value }

  public init(stringLiteral value: String) { self.init(value) }

  public var isEmpty: Bool { value.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "hidden" }
  public var debugDescription: String { "hidden" }
  /// Without this, `dump` would print the text.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
