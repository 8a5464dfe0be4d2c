/// The reason why a recording cannot start, or ended before its broadcast.
public enum RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// A file of this name exists. Files are never overwritten.
  case exists(String)
  /// The file cannot be created in the directory; contains the system's message.
  case directory(String)
  /// The disk or the disk quota is full.
  case full
  /// A file reached its maximum size in bytes.
  case limit(Int64)
  /// Writing failed; contains the system's message.
  case write(String)
  /// The file format does not support the media.
  case media(String)

  /// Every ``name`` of the failures that end a recording.
  public static let causes = ["full", "limit", "write", "media", "exists", "directory"]

  /// A stable name for programs.
  public var name: String {
    switch self {
    case .exists: "exists"
    case .directory: "directory"
    case .full: "full"
    case .limit: "limit"
    case .write: "write"
    case .media: "media"
    }
  }

  /// A message for people.
  public var description: String {
    switch self {
    case .exists(let name): "a recording named \(name) already exists and is not overwritten"
    case .directory(let reason): "cannot create a file in the recordings directory: \(reason)"
    case .full: "the recordings disk is full"
    case .limit(let bytes): "the file has reached its limit of \(Self.size(bytes))"
    case .write(let reason): "cannot write the file: \(reason)"
    case .media(let reason): "the file format does not support the media: \(reason)"
    }
  }

  private static func size(_ bytes: Int64) -> String {
    for (unit, shift) in [("GiB", Int64(30)), ("MiB", 20), ("KiB", 10)] where bytes > 0 && bytes % (1 << shift) == 0 {
      return "\(bytes >> shift) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
