import RoomLiveOrigin
import RoomProtocol
import RoomSFU

/// What a list of rooms shows of one room.
///
/// A room passes a new value to ``RoomDependencies/listed`` whenever an input has changed it, so that a list of many rooms waits
/// for none of them.
package struct RoomSummary: Sendable, Hashable {
  package enum Kind: String, Sendable, Encodable { case voice, video }

  /// Whether what a job sends goes out.
  package enum LiveState: String, Sendable, Encodable {
    /// The target has not accepted it yet, or no picture was sent.
    case starting
    case live
    /// The room did, and does not now.
    case failing
  }

  /// The room's live: the job that stands for what goes out.
  package struct Live: Sendable, Hashable {
    package var state: LiveState
    /// When it first was on air; until then when the job started. Milliseconds since 1970.
    package var since: Int64
    package var jobId: JobID
    /// The path at this server's own origin; nil if it goes elsewhere.
    package var stream: StreamPath?
  }

  /// The other side of a running PK.
  package struct Partner: Sendable, Hashable, Encodable {
    package var room: RoomName
    package var userId: UserID
  }

  package var name: RoomName
  /// Milliseconds since 1970.
  package var createdAt: Int64
  package var kind: Kind
  /// The participants in the order of joining, without hidden ones and without those that the server itself added.
  package var users: [UserID]
  /// The number of participants, with hidden ones, and without the room's own mix and another room's anchor.
  package var participants: Int
  /// The number of ``users`` that publish.
  package var publishers: Int
  package var tracks: Int
  /// The number of people who only watch here: WHEP sessions, without those of operators, and participants that publish nothing and
  /// have no seat. Viewers of a stream of the room are elsewhere.
  package var viewers: Int
  /// Those of the participants and viewers whose media another server has.
  package var elsewhere: [MediaAnnexID: Crowd.Count] = [:]
  /// The number of seats taken.
  package var seats: Int
  /// Who speaks, loudest first.
  package var speakers: [UserID]
  /// Whose camera stands for the room: the own anchor in a PK, else the host, who speaks, or the first; nil if no camera is on.
  package var shown: UserID?
  package var pk: Partner?
  package var live: Live?
  /// In start order.
  package var jobs: [JobInfo]
  /// Why nobody else may join to publish; nil while the room has space.
  package var full: String?
  /// The attribute `metadata`; empty if there is none.
  package var metadata = ""
  /// How long the room stays open without participants, in seconds.
  package var emptyTime = 0
  /// The maximum number of participants and viewers.
  package var capacity = 0
}

extension RoomSummary {
  /// The stream of the origin that viewers of the room watch: the one on which the room is on air, or else the expected one.
  package var watchedStream: StreamPath? {
    live?.stream ?? jobs.program ?? StreamPath(app: PlayAddresses.app, stream: name.rawValue)
  }
}

extension RoomSummary {
  /// Returns what a list shows of a room now.
  package init(of room: RoomCore) {
    let own = room.roster.publishers.compactMap { room.roster[$0] }.filter { !$0.isVirtual }
    name = room.name
    createdAt = room.createdAt
    kind = room.settings.audience == .voice ? .voice : .video
    users = room.roster.visible
    participants = room.roster.countedCount
    publishers = own.count
    tracks = room.roster.trackCount
    let crowd = room.crowd
    (viewers, elsewhere) = (crowd.total.viewers, crowd.elsewhere)
    seats = room.state.allSeats.count { $0.userId != nil }
    speakers = room.activeSpeakers.filter { room.roster[$0]?.isVirtual == false }
    pk = room.pk.map { Partner(room: $0.info.room, userId: $0.info.userId) }
    let filmed = own.filter { $0.tracks.contains { $0.info.kind == .video && !$0.info.muted } }
    let wanted = [room.pk?.info.host, room.state.host, room.stage.user].compactMap { $0 }
    shown =
      wanted.first { user in filmed.contains { $0.user == user } }
      ?? filmed.min { ($0.joinedAt, $0.user) < ($1.joinedAt, $1.user) }?.user
    jobs = room.jobList
    full = room.capacityError(for: nil, publishes: true)
    metadata = room.state.attributes["metadata"] ?? ""
    emptyTime = Int(room.settings.emptyTime.milliseconds / 1000)
    capacity = room.settings.participants
    let lives = room.orderedJobs.compactMap(Live.init)
    live = lives.first { $0.state == .live } ?? lives.first { $0.state == .failing } ?? lives.first
  }
}

extension RoomSummary.Live {
  /// Returns nil for a job without an audience: a recording, or a mix that goes into the room; and for the watch page's own.
  fileprivate init?(_ job: Job) {
    guard job.id != .watch else { return nil }
    guard let target = job.info.target, !target.hasPrefix("file:"), job.info.publishAs == nil else { return nil }
    state =
      switch job.info.state {
      case .autoReconnecting, .error: .failing
      case .connected where job.info.onAir == true: .live
      default: .starting
      }
    since = job.onAirAt ?? job.info.startedAt ?? 0
    jobId = job.id
    stream = job.info.stream.flatMap { StreamPath($0) }
  }
}
