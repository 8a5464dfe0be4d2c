import RoomCALSA

/// Why a device of ALSA cannot be used, or why it ended.
public enum ALSAError: Error, Sendable, Hashable, CustomStringConvertible {
  /// ALSA has no device of this name.
  case notFound(String)
  /// Another program uses the device.
  case busy(String)
  /// The device was unplugged.
  case unplugged(String)
  /// ALSA refused a call; the reason is ALSA's.
  case failed(device: String, reason: String)

  /// - Parameter code: the negative result of a call.
  init(_ device: String, code: Int32) {
    switch -code {
    case ENOENT: self = .notFound(device)
    case EBUSY: self = .busy(device)
    case ENODEV: self = .unplugged(device)
    default: self = .failed(device: device, reason: String(cString: snd_strerror(code)))
    }
  }

  public var description: String {
    switch self {
    case .notFound(let device): "there is no ALSA device \(device)"
    case .busy(let device): "the ALSA device \(device) is in use"
    case .unplugged(let device): "the ALSA device \(device) was unplugged"
    case .failed(let device, let reason): "the ALSA device \(device) failed: \(reason)"
    }
  }
}
