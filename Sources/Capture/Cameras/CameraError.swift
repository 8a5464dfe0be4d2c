import Foundation
import RoomCV4L2

/// Why a camera or its control cannot be used.
public enum CameraError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such device.
  case notFound(path: String)
  /// The user may not open the device; on most systems, the group `video` may.
  case accessDenied(path: String)
  /// The device is not a camera with one plane and memory-mapped buffers.
  case notACamera(path: String)
  /// Another program uses the camera.
  case busy(path: String)
  /// The camera has none of ``CameraSetting/convertible``.
  case noUsableFormat(path: String, formats: [FourCC])
  /// The camera was removed.
  case unplugged(path: String)
  /// No picture came for ``Camera/patience``.
  case noPictures(path: String)
  /// The camera does not have the control.
  case noControl(path: String, CameraControl.ID)
  /// The value is outside the control's range, or the menu has no such item.
  case valueOutOfRange(CameraControl.ID, value: Int, range: ClosedRange<Int>)
  /// The control cannot be set: it is read-only, or another one, such as automatic focus, has it.
  case controlRefused(CameraControl.ID)
  /// A call of the driver failed with this errno.
  case failed(path: String, call: String, code: Int32)

  /// Classifies an errno.
  init(path: String, call: String, code: Int32) {
    self =
      switch code {
      case ENOENT: .notFound(path: path)
      case EACCES, EPERM: .accessDenied(path: path)
      case ENODEV, ENXIO: call == "open" ? .notFound(path: path) : .unplugged(path: path)
      case EBUSY: .busy(path: path)
      case ENOTTY: .notACamera(path: path)
      default: .failed(path: path, call: call, code: code)
      }
  }

  /// Throws the error of a call that did not return 0.
  static func check(_ code: Int32, _ call: String, _ path: String) throws(CameraError) {
    guard code == 0 else { throw CameraError(path: path, call: call, code: code) }
  }

  public var description: String {
    switch self {
    case .notFound(let path): "\(path): there is no such camera"
    case .accessDenied(let path): "\(path): the user may not open the camera"
    case .notACamera(let path): "\(path) is not a camera"
    case .busy(let path): "\(path): another program uses the camera"
    case .noUsableFormat(let path, let formats):
      "\(path): none of the formats is supported: \(formats.map(\.description).joined(separator: ", "))"
    case .unplugged(let path): "\(path): the camera was unplugged"
    case .noPictures(let path): "\(path): the camera delivers no pictures"
    case .noControl(let path, let id): "\(path): the camera has no control \(id)"
    case .valueOutOfRange(let id, let value, let range):
      "\(id): \(value) is not a value from \(range.lowerBound) to \(range.upperBound) of the control"
    case .controlRefused(let id): "\(id): the control cannot be set now"
    case .failed(let path, let call, let code): "\(path): \(call) failed: \(String(cString: strerror(code)))"
    }
  }
}
