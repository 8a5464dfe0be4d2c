/// Decides which recordings are deleted: those that are too old, then the oldest ones as long as all are too large together.
/// Recordings that are being written count, and are never deleted. Files that no job of the server wrote neither count nor are
/// deleted, whatever their name.
public struct RecordingRetention: Sendable, Hashable {
  /// How long a recording is kept after its end, in ms; nil for any time.
  public var longestAge: Int64?
  /// The maximum size of all recordings together, in bytes; nil for any size.
  public var largestSize: Int64?

  public init(longestAge: Int64? = nil, largestSize: Int64? = nil) {
    self.longestAge = longestAge
    self.largestSize = largestSize
  }

  /// Whether nothing is ever deleted.
  public var keepsAll: Bool { longestAge == nil && largestSize == nil }

  /// Returns the recordings to delete, those that ended first at the start, with the reason.
  /// - Parameter now: the time in ms since 1970.
  func expired(_ all: some Collection<RecordingFacts>, now: Int64) -> [(name: String, reason: RecordingDeletion)] {
    guard !keepsAll else { return [] }
    let own = all.filter { $0.owner != nil }
    var size = own.reduce(0) { $0 + $1.size }
    let ended = own.filter { $0.state != .writing }.sorted { Self.age($0, now) > Self.age($1, now) }
    var expired: [(String, RecordingDeletion)] = []
    for recording in ended {
      let reason: RecordingDeletion
      if let longestAge, Self.age(recording, now) > longestAge {
        reason = .age
      } else if let largestSize, size > largestSize {
        reason = .size
      } else {
        break
      }
      size -= recording.size
      expired.append((recording.name, reason))
    }
    return expired
  }

  /// A clock that was set back makes no recording old.
  private static func age(_ recording: RecordingFacts, _ now: Int64) -> Int64 {
    now - (recording.endedAt ?? recording.startedAt)
  }
}
