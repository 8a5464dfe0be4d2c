/// Why a link or its port can't be used.
public enum LinkError: Error, Equatable, Sendable {
  /// The shared secret has fewer than ``LinkKeys/minimumSecret`` bytes.
  case secretTooShort
  /// Both ends have the same name, or a name has more than 255 bytes.
  case invalidEnds
  /// libcrypto refused the algorithm or has no memory.
  case cryptography
  /// The text is not a numeric IP address.
  case invalidAddress(String)
  /// The port has ended.
  case stopped
  /// A call of the system failed.
  case system(call: String, code: Int32)
}
