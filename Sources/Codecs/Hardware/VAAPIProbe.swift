import Foundation

/// The devices of this machine that encode H.264 by VAAPI.
public struct VAAPIProbe: Sendable, Hashable {
  /// A device, and why it is not usable.
  public struct Device: Sendable, Hashable {
    /// The path, such as `/dev/dri/renderD128`.
    public let path: String
    /// Why the device encodes no H.264: no permission, driver or profile; nil if it does.
    public let failure: String?
  }

  /// The devices, sorted by path.
  public let devices: [Device]
  /// Why no device is usable; nil if one is.
  public let reason: String?

  /// The usable device to choose if the app names none.
  public var first: String? { devices.first { $0.failure == nil }?.path }

  /// Opens an encoder on each render node. A driver may take some 100 ms.
  /// - Parameter folder: The folder of the device files.
  public init(folder: String = "/dev/dri") {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    devices = names.filter { $0.hasPrefix("renderD") }.sorted().map { name in
      let path = "\(folder)/\(name)"
      do throws(CodecError) {
        _ = try VAAPIEncoder(VideoEncoderSettings(width: 640, height: 360, fps: 30, bitrate: 1_000_000), device: path)
        return Device(path: path, failure: nil)
      } catch {
        return Device(path: path, failure: error.description)
      }
    }
    if devices.isEmpty {
      reason = "\(folder) has no render node"
    } else if devices.contains(where: { $0.failure == nil }) {
      reason = nil
    } else {
      reason = devices.compactMap { device in device.failure.map { "\(device.path): \($0)" } }.joined(separator: "; ")
    }
  }
}
