import RoomProtocol
import RoomWebRTC
import Synchronization

/// The state of a room that any thread reads without waiting. Only the session writes it.
final class RoomStateStore: Sendable {
  struct Value: Sendable {
    var state = RoomState.idle
    var room: RoomSnapshot?
    var me: ParticipantInfo?
    var participants: [UserID: ParticipantInfo] = [:]
    var remoteTracks: [TrackID: RemoteTrack] = [:]
    var limits = RoomLimits()
    /// The token for the other room, during a PK for which this client must move.
    var pkToken: PKTokenData?
  }

  private let box = Mutex(Value())
  let events: RoomEventStreams
  private let data: Broadcaster<ReceivedData>
  private let backlog: Int

  init(backlog: Int) {
    events = RoomEventStreams(backlog: backlog)
    data = Broadcaster(openingBacklog: backlog)
    self.backlog = backlog
  }

  var value: Value { box.withLock { $0 } }
  /// The user of this client; empty before the join.
  var userId: UserID { box.withLock { $0.me?.userId ?? "" } }
  func change<Result>(_ body: (inout Value) -> Result) -> Result { box.withLock { body(&$0) } }

  /// Whether one of the jobs is running.
  func runsAny(of jobs: some Collection<JobID>) -> Bool { value.room?.jobs.contains { jobs.contains($0.jobId) } ?? false }

  func say(_ event: RoomEvent) { events.send(event) }
  func finish() {
    events.finish()
    data.finish()
  }

  /// Passes a message over a data channel to its readers.
  func receive(_ message: DataChannelMessage, label: String) {
    if let received = ReceivedData(message, label: label) { data.send(received) }
  }

  /// Returns the stream of all messages once, and then streams of those from then on.
  func receivedData() -> AsyncStream<ReceivedData> { data.takeOpening() ?? data.stream(backlog: backlog) }
}
