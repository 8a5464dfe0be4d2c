/// Why the media plane could not start.
public enum MediaPlaneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not a numeric address, or a port beyond 65535.
  case badAddress(String)
  /// The socket could not be bound; with the system's own words.
  case bind(address: String, reason: String)
  case thread(reason: String)
  case certificate(reason: String)
  /// An announced address of a family of which no address is bound.
  case unreachable(announced: String)

  /// A sentence for people.
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
