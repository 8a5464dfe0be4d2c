import Foundation
import RoomProtocol
import RoomState

/// The stored form of a room.
package struct StoredRoom: Codable, Sendable, Hashable {
  package var options: RoomSettingsOptions
  /// Seats, layout, requests, PK, messages and attributes.
  package var state: RoomState
  /// Jobs in start order.
  var jobs: [StoredJob]
  /// Participants of other rooms that appear in this one; nil for none.
  var forwards: [StoredForward]?
  /// Files and URLs that play; nil for none.
  var players: [StoredPlayer]?

  private enum CodingKeys: String, CodingKey {
    case options = "wishes"
    case state, jobs, forwards, players
  }

  /// Returns whether it equals another one apart from the clock, which alone does not justify a write.
  func isStored(as other: StoredRoom) -> Bool {
    options == other.options && jobs == other.jobs && forwards == other.forwards && players == other.players
      && state.isStored(as: other.state)
  }
}

/// The changes of a room since the last write.
package struct StoredRoomChange: Sendable {
  /// The room without its members.
  package var room: StoredRoom
  package var members: MemberChanges

  /// Returns the record to write.
  /// - Parameter last: the room as stored; nil if it is not stored.
  func record(_ encoder: JSONEncoder, after last: StoredRoom?) throws -> RoomRecord {
    let isStored = last.map { room.isStored(as: $0) } ?? false
    let values = try members.members.mapValues { try $0.map { try encoder.encode($0) } }
    return RoomRecord(room: isStored ? nil : try encoder.encode(room), members: values, isWhole: members.isWhole)
  }
}

/// The stored form of a participant of another room that appears in this one.
struct StoredForward: Codable, Sendable, Hashable {
  var user: UserID
  var source: RoomName
  var profile: ParticipantProfile?
}

/// The stored form of a relay job.
struct StoredJob: Codable, Sendable, Hashable {
  enum Program: Codable, Sendable, Hashable {
    case forward(audio: Job.Choice?, video: Job.Choice?)
    case tracks(Job.TrackChoice)
    /// With the users and tags that each entry of the layouts uses.
    case merge(MergeParams, [MixPlan.Item])
  }

  var jobId: JobID
  var program: Program
  /// How a merge job shows everybody in the room; nil for one with layouts of its own.
  var arrangement: RoomArrangement?
  /// What a forward job shows while the room changes; nil in rooms stored by earlier versions.
  var follow: JobFollow?
  /// Nil for a mix that is only published into the room. The URL may contain a stream key.
  var publishUrl: String?
  var record: String?
  /// The room that its broadcast belongs to; nil for the job's own room.
  var owner: RoomName?
  var by: UserID
  /// Milliseconds since 1970.
  var startedAt: Int64
}

/// The stored form of a player.
struct StoredPlayer: Codable, Sendable, Hashable {
  /// With the position, the volume and the loop of the time `at`.
  var params: PlayerParams
  /// Milliseconds since 1970.
  var at: Int64
  var duration: Double?
  var by: UserID?
}
