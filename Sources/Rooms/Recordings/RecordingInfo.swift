import Foundation
import RoomProtocol
import RoomRelay

/// The facts of a recording as REST and webhooks send them.
package struct RecordingInfo: Encodable, Sendable {
  struct Video: Encodable, Sendable {
    var codec: String
    var width: Int?
    var height: Int?
  }

  struct Audio: Encodable, Sendable {
    var codec: String
  }

  struct Track: Encodable, Sendable {
    var userId: String
    var tag: String?
    var kind: String
    var codec: String
    /// When the first frame was captured, in milliseconds since 1970.
    var startedAt: Int64
  }

  package var name: String
  /// Absent for a file that no job of this server wrote, as is `job`.
  var room: String?
  package var job: String?
  /// Absent for the recording of a broadcast.
  var track: Track?
  package var state: RecordingFacts.State
  /// Milliseconds since 1970.
  package var startedAt: Int64
  package var endedAt: Int64?
  package var bytes: Int64
  /// Milliseconds: of the file, or since its start while it is being written.
  package var duration: Int64?
  var video: Video?
  var audio: Audio?
  package var failure: JobFailure?
  /// Why it was deleted, in an event that reports this.
  var reason: String?

  /// - Parameter now: milliseconds since 1970.
  package init(_ facts: RecordingFacts, now: Int64 = WebhookEvent.now()) {
    name = facts.name
    room = facts.owner?.room
    job = facts.owner?.job
    track = facts.track.map {
      Track(userId: $0.user, tag: $0.tag, kind: $0.kind, codec: $0.codec, startedAt: $0.startedAt)
    }
    state = facts.state
    startedAt = facts.startedAt
    endedAt = facts.endedAt
    bytes = facts.size
    duration = facts.state == .writing ? max(0, now - facts.startedAt) : facts.media?.duration
    if let codec = facts.media?.videoCodec {
      video = Video(codec: codec, width: facts.media?.width, height: facts.media?.height)
    }
    if let codec = facts.media?.audioCodec { audio = Audio(codec: codec) }
    failure = facts.failure.map { JobFailure(cause: JobFailureCause(rawValue: $0.cause), message: $0.message) }
  }
}
