/// A text that must not get into a log, an error or a dump. Whatever prints it, or a value that holds it, prints `hidden`.
///
/// ```swift
/// let secret: Secret = "of forty bytes"
/// print(secret)  // hidden
/// sign(with: secret.value)
/// ```
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text itself. Not for strings that leave the process.
  public let value: String

  public init(_ value: String) { self.value = value }

  public init(stringLiteral value: String) { self.init(value) }

  public var isEmpty: Bool { value.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "hidden" }
  public var debugDescription: String { "hidden" }
  /// Without this `dump` would show the text.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
