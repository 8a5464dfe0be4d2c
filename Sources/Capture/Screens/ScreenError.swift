/// Why a screen cannot be captured, or why capturing ended.
public enum ScreenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no display of this name, or it refuses this client.
  case noDisplay(String)
  /// The display has no such screen, monitor or window.
  case notFound(String)
  /// The window was closed.
  case windowClosed(UInt32)
  /// The display closed the connection.
  case connectionLost
  /// The display has pixels of another format than 32 bits with blue first.
  case unsupportedPixels(depth: Int)
  /// The display refused a request.
  case refused(request: String, code: Int)

  public var description: String {
    switch self {
    case .noDisplay(let name): "the display \(name.isEmpty ? "of the environment" : name) cannot be opened"
    case .notFound(let what): "the display has no \(what)"
    case .windowClosed(let id): "window \(id) is closed"
    case .connectionLost: "the display closed the connection"
    case .unsupportedPixels(let depth): "the display has pixels of \(depth) bits"
    case .refused(let request, let code): "the display refused \(request) with error \(code)"
    }
  }
}
