import Foundation
import RoomProtocol
import RoomState

/// A room as it is stored.
struct StoredRoom: Codable, Sendable {
  var wishes: RoomDirectory.Wishes
  /// Seats, layout, requests, PK, messages and attributes.
  var state: RoomState
  /// In the order of their beginning.
  var jobs: [StoredJob]
}

/// A relay job as it is stored.
struct StoredJob: Codable, Sendable {
  enum Program: Codable, Sendable {
    case forward(audio: Job.Choice?, video: Job.Choice?)
    /// With what each entry of its layouts takes of whom.
    case merge(MergeParams, [MixPlan.Item])
  }

  var jobId: JobID
  var program: Program
  /// Nil for a mix that goes into the room alone. It may hold a stream key.
  var publishUrl: String?
  var record: String?
  /// The room that its broadcast belongs to; nil for the room whose job it is.
  var owner: RoomName?
  var by: UserID
  /// Milliseconds since 1970.
  var startedAt: Int64
}
