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
    case .exists(let name): "there is a recording called \(name) already; none is written over"
    case .directory(let reason): "no file can be made in the recordings directory: \(reason)"
    case .full: "the disk of the recordings is full"
    case .limit(let bytes): "the file has reached the limit of \(Self.size(bytes))"
    case .write(let reason): "the file can't be written: \(reason)"
    case .media(let reason): "the file can't take the media: \(reason)"
    }
  }

  private static func size(_ bytes: Int64) -> String {
    for (unit, shift) in [("GiB", Int64(30)), ("MiB", 20), ("KiB", 10)] where bytes > 0 && bytes % (1 << shift) == 0 {
      return "\(bytes >> shift) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
