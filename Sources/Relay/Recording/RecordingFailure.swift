/// Why a recording can't begin, or has ended before its broadcast.
public enum RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is a file of that name. None is ever written over.
  case exists(String)
  /// No file can be made in the directory; in the system's words.
  case directory(String)
  /// The disk, or what may be used of it.
  case full
  /// A file has as many bytes as one may have.
  case limit(Int64)
  /// Writing failed; in the system's words.
  case write(String)
  /// The media has no place in such a file.
  case media(String)

  /// Every ``name`` of those that end a recording.
  public static let causes = ["full", "limit", "write", "media", "exists", "directory"]

  /// A stable word for programs.
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

  /// A sentence for people.
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
