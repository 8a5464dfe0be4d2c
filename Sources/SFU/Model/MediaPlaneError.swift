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
    case .badAddress(let address): "\(address) is no numeric address, or no port"
    case .bind(let address, let reason): "can't bind \(address): \(reason)"
    case .thread(let reason): "no thread: \(reason)"
    case .certificate(let reason): "no certificate: \(reason)"
    case .unreachable(let announced): "\(announced) is announced, but no address of its family is bound"
    }
  }
}
