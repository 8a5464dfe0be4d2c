import Glibc
import RoomRelay

/// The location and the limits of uploads.
public struct UploadSettings: Sendable, Hashable {
  /// An existing directory, for this server alone.
  public var directory: String
  /// The maximum size of a file in bytes.
  public var largest: Int64 = 4 << 30
  /// The maximum size of all files together in bytes, including those that are arriving.
  public var total: Int64 = 64 << 30
  /// The time after which an unused upload is deleted.
  public var unusedTime: Duration = .seconds(7 * 86_400)

  public init(directory: String) { self.directory = directory }

  /// The reason why the settings cannot be used; nil if they can.
  public var validationError: String? {
    guard largest > 0, total > 0, unusedTime > .zero else { return "the limits of uploads must be positive" }
    return directoryFault(directory, needing: R_OK | W_OK | X_OK)
  }
}
