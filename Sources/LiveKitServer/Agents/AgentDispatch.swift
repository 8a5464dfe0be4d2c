import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// An agent that was asked into a room, and its jobs. It is stored as a document.
struct AgentDispatch: Codable, Sendable, Hashable, Identifiable {
  /// What ids of dispatches begin with.
  static let prefix = "AD_"

  let id: String
  /// The name that workers register; empty for the agents of every room.
  let agent: String
  let room: RoomName
  /// The room's name as the app chose it.
  let roomName: String
  /// The incarnation of the room.
  let session: String
  var metadata = ""
  var attributes: [String: String] = [:]
  var deployment = ""
  /// Whether a job starts again after a failure.
  var restarts = true
  /// Whether the room began with it, instead of the agents of every room.
  var isFromBeginning = false
  /// Milliseconds since 1970.
  let createdAt: Int64
  /// In the order of their creation.
  var jobs: [AgentJob] = []

  /// Jobs about one participant that have ended are kept up to this number.
  static let keptJobs = 16

  init(agent: String, room: RoomName, roomName: String, session: String, createdAt: Int64) {
    id = Self.prefix + AgentJob.random()
    self.agent = agent
    self.room = room
    self.roomName = roomName
    self.session = session
    self.createdAt = createdAt
  }

  /// Forgets the oldest ended jobs about participants. The job of the room stays, so that it is not made again.
  mutating func forgetOldJobs() {
    var excess = jobs.count { $0.isOver && $0.kind != .room } - Self.keptJobs
    guard excess > 0 else { return }
    jobs.removeAll { job in
      guard excess > 0, job.isOver, job.kind != .room else { return false }
      excess -= 1
      return true
    }
  }

  var info: LiveKit.AgentDispatch {
    LiveKit.AgentDispatch {
      ($0.id, $0.agentName, $0.room) = (id, agent, roomName)
      ($0.metadata, $0.attributes, $0.deployment) = (metadata, attributes, deployment)
      $0.restartPolicy = restarts ? .onFailure : .never
      $0.state = LiveKit.AgentDispatchState {
        $0.createdAt = AgentJob.nanoseconds(createdAt)
        $0.jobs = jobs.map { describe($0, room: nil) }
      }
    }
  }

  /// Describes one of its jobs.
  /// - Parameter room: nil to leave the room out.
  func describe(_ job: AgentJob, room: LiveKit.Room?) -> LiveKit.Job {
    LiveKit.Job {
      ($0.id, $0.dispatchID, $0.type, $0.namespace) = (job.id, id, job.kind.type, job.namespace)
      ($0.metadata, $0.attributes, $0.deployment, $0.agentName) = (metadata, attributes, deployment, agent)
      $0.room = room
      $0.participant = job.participant.flatMap { try? LiveKit.ParticipantInfo(protobuf: $0) }
      $0.state = job.state
    }
  }
}

/// The work of one agent, and what has become of it.
struct AgentJob: Codable, Sendable, Hashable, Identifiable {
  /// What an agent is for: a room, or one participant of it.
  enum Kind: String, Codable, Sendable, CaseIterable {
    case room, publisher, participant

    /// Nil for a type that this server does not know.
    init?(_ type: LiveKit.JobType) {
      guard let kind = Self.allCases.first(where: { $0.type == type }) else { return nil }
      self = kind
    }

    var type: LiveKit.JobType {
      switch self {
      case .room: .room
      case .publisher: .publisher
      case .participant: .participant
      }
    }
  }

  enum Status: String, Codable, Sendable, CaseIterable {
    case waiting, running, success, failed, cancelled

    var liveKit: LiveKit.JobStatus {
      switch self {
      case .waiting: .pending
      case .running: .running
      case .success: .success
      case .failed: .failed
      case .cancelled: .cancelled
      }
    }
  }

  enum Reason: String, Codable, Sendable {
    case noWorker, roomClosed, deleted, retrying

    var liveKit: LiveKit.JobStateReason {
      switch self {
      case .noWorker: .noCapacity
      case .roomClosed: .roomClosed
      case .deleted: .dispatchDeleted
      case .retrying: .retrying
      }
    }
  }

  let id: String
  let kind: Kind
  let namespace: String
  /// The participant that it is about, as protobuf, and its id; nil for a room.
  let participant: [UInt8]?
  let participantSID: String?
  var status = Status.waiting
  var reason: Reason?
  var error = ""
  /// Milliseconds since 1970; 0 before.
  var startedAt: Int64 = 0
  var endedAt: Int64 = 0
  var updatedAt: Int64
  /// The agent's name in the room; empty before a worker takes the job.
  var identity = ""
  var worker = ""
  /// How often it has started again after a failure.
  var failures = 0

  init(_ kind: Kind, namespace: String, participant: LiveKit.ParticipantInfo?, at time: Int64) {
    id = "AJ_" + Self.random()
    self.kind = kind
    self.namespace = namespace
    self.participant = participant?.protobuf
    participantSID = participant?.sid
    updatedAt = time
  }

  var isOver: Bool { status != .waiting && status != .running }
  /// The agent as a user of this server.
  var user: UserID? { ForeignName(identity)?.user }

  var state: LiveKit.JobState {
    LiveKit.JobState {
      ($0.status, $0.error, $0.reason) = (status.liveKit, error, reason?.liveKit ?? .unspecified)
      ($0.startedAt, $0.endedAt) = (Self.nanoseconds(startedAt), Self.nanoseconds(endedAt))
      $0.updatedAt = Self.nanoseconds(updatedAt)
      ($0.participantIdentity, $0.workerID) = (identity, worker)
    }
  }

  static func nanoseconds(_ milliseconds: Int64) -> Int64 {
    milliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue
  }

  /// Returns 12 random characters of an id.
  static func random() -> String {
    String((0..<12).map { _ in "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement() ?? "a" })
  }
}
