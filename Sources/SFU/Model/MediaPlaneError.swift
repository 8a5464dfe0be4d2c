/// Why the media plane could not start.
public enum MediaPlaneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not a numeric address, or a port above 65535.
  case badAddress(String)
  /// The socket could not be bound; `reason` is the system's message.
  case bind(address: String, reason: String)
  case thread(reason: String)
  case certificate(reason: String)
  /// An announced address whose family has no bound address.
  case unreachable(announced: String)

  /// A human-readable message.
  public var description: String {
    switch self {
    case .badAddress(let address): "invalid address or port: \(address)"
    case .bind(let address, let reason): "can't bind \(address): \(reason)"
    case .thread(let reason): "can't start a thread: \(reason)"
    case .certificate(let reason): "can't create a certificate: \(reason)"
    case .unreachable(let announced): "\(announced) is announced, but no address of its family is bound"
    }
  }
}
