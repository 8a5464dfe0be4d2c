/// Whether H.264 is encoded by a device (VAAPI) or in software.
public enum HardwareEncoding: Sendable, Hashable {
  /// In software.
  case never
  /// By the first usable device. In software if there is none, and from the first picture that the device rejects.
  case ifAvailable
  /// By this device, a path such as `/dev/dri/renderD128`, or by the first usable one if it is nil. Never in software.
  case required(device: String? = nil)
}
