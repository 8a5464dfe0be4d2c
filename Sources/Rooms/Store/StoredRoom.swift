import Foundation
import RoomProtocol
import RoomState

/// A room as it is stored.
package struct StoredRoom: Codable, Sendable, Hashable {
  package var wishes: RoomWishes
  /// Seats, layout, requests, PK, messages and attributes.
  package var state: RoomState
  /// In the order of their beginning.
  var jobs: [StoredJob]

  /// Whether it equals another one but for its clock, which alone is not worth a write.
  func isStored(as other: StoredRoom) -> Bool {
    wishes == other.wishes && jobs == other.jobs && state.isStored(as: other.state)
  }
}

/// What a store that has all earlier changes of a room lacks.
package struct StoredRoomChange: Sendable {
  /// Without its members.
  package var room: StoredRoom
  package var members: MemberChanges

  /// - Parameter last: the room as the store has it; nil if it has none.
  func record(_ encoder: JSONEncoder, after last: StoredRoom?) throws -> RoomRecord {
    let isStored = last.map { room.isStored(as: $0) } ?? false
    let values = try members.members.mapValues { try $0.map { try encoder.encode($0) } }
    return RoomRecord(room: isStored ? nil : try encoder.encode(room), members: values, isWhole: members.isWhole)
  }
}

/// A relay job as it is stored.
struct StoredJob: Codable, Sendable, Hashable {
  enum Program: Codable, Sendable, Hashable {
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
