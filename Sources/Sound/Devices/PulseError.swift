import RoomCPulse

/// Why a sound device cannot be used.
public enum PulseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sound server refused or does not run; its own text.
  case unavailable(String)

  init(code: Int32) { self = .unavailable(String(cString: pa_strerror(code))) }

  public var description: String {
    switch self {
    case .unavailable(let reason): "the sound server: \(reason)"
    }
  }
}
