import Foundation
import RoomCALSA

/// The devices of ALSA that capture sound.
public struct ALSADevices: Sendable, Hashable {
  /// A device.
  public struct Device: Sendable, Hashable {
    /// The name that ``ALSAMicrophone`` takes, such as `hw:CARD=USB,DEV=0`.
    public var name: String
    /// The text for people, in one line.
    public var description: String
  }

  /// The most devices that are listed.
  public static let most = 256

  /// The microphones, in the order of ALSA.
  public private(set) var microphones: [Device] = []

  /// Asks ALSA. The list is empty without a configuration of ALSA.
  public init() {
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return }
    defer { snd_device_name_free_hint(hints) }
    var index = 0
    while let hint = hints[index], microphones.count < Self.most {
      index += 1
      // A device without a direction has both.
      guard let name = Self.text("NAME", of: hint), Self.text("IOID", of: hint) ?? "Input" == "Input" else { continue }
      let description = Self.text("DESC", of: hint)?.replacingOccurrences(of: "\n", with: ", ")
      microphones.append(Device(name: name, description: description ?? name))
    }
  }

  private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
