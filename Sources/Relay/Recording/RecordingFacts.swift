public import RoomCodecs

/// The room and the job that began a recording.
public struct RecordingOwner: Sendable, Hashable, Codable {
  public var room: String
  /// The room's session, which webhook events name.
  public var session: String
  public var job: String

  public init(room: String, session: String, job: String) {
    self.room = room
    self.session = session
    self.job = job
  }
}

/// What is known about one recorded file.
public struct RecordingFacts: Sendable, Hashable, Codable {
  public enum State: String, Sendable, Hashable, Codable {
    /// A job is writing the file.
    case writing
    /// The file is complete.
    case ready
    /// The recording ended before its broadcast; what is in the file plays.
    case failed
  }

  /// Why a recording ended early.
  public struct Failure: Sendable, Hashable, Codable {
    /// ``RecordingFailure/name``, or `interrupted`: the server was killed.
    public var cause: String
    public var message: String

    static let interrupted = Failure(cause: "interrupted", message: "the server ended while it wrote the file")

    init(cause: String, message: String) {
      self.cause = cause
      self.message = message
    }

    init(_ failure: RecordingFailure) { self.init(cause: failure.name, message: failure.description) }
  }

  /// The track of a room that the file has alone, as it was published.
  public struct Track: Sendable, Hashable, Codable {
    public var user: String
    public var tag: String?
    /// `audio` or `video`.
    public var kind: String
    /// `h264`, `vp8`, `vp9` or `opus`.
    public var codec: String
    /// When the first frame was captured, in ms since 1970. Differences between the tracks of a room align their files.
    public var startedAt: Int64
  }

  /// The name of the file.
  public var name: String
  /// Nil for a file that no job of this server wrote.
  public var owner: RecordingOwner?
  /// Nil for the recording of a broadcast.
  public var track: Track?
  public var state: State
  /// When the file was created, in ms since 1970.
  public var startedAt: Int64
  /// When it was complete; nil while it is being written.
  public var endedAt: Int64?
  /// Bytes.
  public var size: Int64
  /// Nil until the first bytes are written, or if the file is not readable.
  public var media: MediaFacts?
  /// Nil unless the state is `failed`.
  public var failure: Failure?

  /// The position in the list. Newer recordings have a larger one.
  var position: RecordingPosition { RecordingPosition(startedAt: startedAt, name: name) }
}

/// The position of a recording in the list of all, by start and name.
public struct RecordingPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
  let startedAt: Int64
  let name: String

  init(startedAt: Int64, name: String) {
    self.startedAt = startedAt
    self.name = name
  }

  /// Parses the text of a position; nil if it is not one.
  public init?(_ text: String) {
    guard let dash = text.firstIndex(of: "-"), let startedAt = Int64(text[..<dash]),
      RecordingName(String(text[text.index(after: dash)...])) != nil
    else { return nil }
    self.init(startedAt: startedAt, name: String(text[text.index(after: dash)...]))
  }

  public var description: String { "\(startedAt)-\(name)" }

  public static func < (a: Self, b: Self) -> Bool { (a.startedAt, a.name) < (b.startedAt, b.name) }
}

/// A change of the recordings that others are notified of.
public enum RecordingEvent: Sendable {
  /// A file is complete, or its recording failed: see ``RecordingFacts/state``.
  case ended(RecordingFacts)
  case deleted(RecordingFacts, RecordingDeletion)
}

/// Why a recording was deleted.
public enum RecordingDeletion: String, Sendable, Hashable, CaseIterable {
  /// By a request.
  case api
  /// The recording was older than the settings allow.
  case age
  /// All recordings were larger than the settings allow.
  case size
}
