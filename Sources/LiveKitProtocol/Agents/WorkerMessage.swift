// What a worker of agents sends over its WebSocket.

extension LiveKit {
  /// A message of a worker.
  package struct WorkerMessage: Message {
    package enum Content: Sendable, Equatable {
      case register(RegisterWorkerRequest)
      case availability(AvailabilityResponse)
      case updateWorker(UpdateWorkerStatus)
      case updateJob(UpdateJobStatus)
      case ping(WorkerPing)
      case simulateJob(SimulateJobRequest)
      case migrateJob(MigrateJobRequest)
    }

    package var message: Content?

    package init() {}

    package static let fields = FieldTable<Self>("WorkerMessage") {
      Field(1, "register", of: "message", \.message, Content.register) {
        if case .register(let value) = $0 { value } else { nil }
      }
      Field(2, "availability", of: "message", \.message, Content.availability) {
        if case .availability(let value) = $0 { value } else { nil }
      }
      Field(3, "update_worker", of: "message", \.message, Content.updateWorker) {
        if case .updateWorker(let value) = $0 { value } else { nil }
      }
      Field(4, "update_job", of: "message", \.message, Content.updateJob) {
        if case .updateJob(let value) = $0 { value } else { nil }
      }
      Field(5, "ping", of: "message", \.message, Content.ping) { if case .ping(let value) = $0 { value } else { nil } }
      Field(6, "simulate_job", of: "message", \.message, Content.simulateJob) {
        if case .simulateJob(let value) = $0 { value } else { nil }
      }
      Field(7, "migrate_job", of: "message", \.message, Content.migrateJob) {
        if case .migrateJob(let value) = $0 { value } else { nil }
      }
    }
  }

  /// Says which jobs the worker takes.
  package struct RegisterWorkerRequest: Message {
    package var type: JobType = .init()
    package var version: String = ""
    /// Seconds.
    package var pingInterval: UInt32 = 0
    package var namespace: String?
    /// What its agents may do.
    package var allowedPermissions: ParticipantPermission?
    package var agentName: String = ""
    package var deployment: String = ""
    package var instanceID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("RegisterWorkerRequest") {
      Field(1, "type", \.type)
      Field(3, "version", \.version)
      Field(5, "ping_interval", \.pingInterval)
      Field(6, "namespace", \.namespace)
      Field(7, "allowed_permissions", \.allowedPermissions)
      Field(8, "agent_name", \.agentName)
      Field(9, "deployment", \.deployment)
      Field(11, "instance_id", \.instanceID)
    }
  }

  /// Takes an offered job, or declines it.
  package struct AvailabilityResponse: Message {
    package var jobID: String = ""
    package var available: Bool = false
    package var supportsResume: Bool = false
    package var participantName: String = ""
    package var participantIdentity: String = ""
    package var participantMetadata: String = ""
    package var participantAttributes: [String: String] = [:]
    /// Whether nobody is to do the job.
    package var terminate: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("AvailabilityResponse") {
      Field(1, "job_id", \.jobID)
      Field(2, "available", \.available)
      Field(3, "supports_resume", \.supportsResume)
      Field(4, "participant_name", \.participantName)
      Field(5, "participant_identity", \.participantIdentity)
      Field(6, "participant_metadata", \.participantMetadata)
      Field(7, "participant_attributes", map: \.participantAttributes)
      Field(8, "terminate", \.terminate)
    }
  }

  /// Whether a worker takes jobs.
  package struct WorkerStatus: Enumeration {
    package static let available = Self(rawValue: 0)
    package static let full = Self(rawValue: 1)

    package static let schemaName = "WorkerStatus"
    package static let names: [Int32: String] = [0: "WS_AVAILABLE", 1: "WS_FULL"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Says how busy the worker is.
  package struct UpdateWorkerStatus: Message {
    package var status: WorkerStatus?
    /// From 0 to 1.
    package var load: Float = 0
    package var jobCount: UInt32 = 0
    package var draining: Bool = false
    package var seq: UInt64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("UpdateWorkerStatus") {
      Field(1, "status", \.status)
      Field(3, "load", \.load)
      Field(4, "job_count", \.jobCount)
      Field(5, "draining", \.draining)
      Field(6, "seq", \.seq)
    }
  }

  /// Says what has become of a job.
  package struct UpdateJobStatus: Message {
    package var jobID: String = ""
    package var status: JobStatus = .init()
    package var error: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("UpdateJobStatus") {
      Field(1, "job_id", \.jobID)
      Field(2, "status", \.status)
      Field(3, "error", \.error)
    }
  }

  /// A question for the time, and a sign of life.
  package struct WorkerPing: Message {
    /// The worker's time in milliseconds.
    package var timestamp: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("WorkerPing") {
      Field(1, "timestamp", \.timestamp)
    }
  }

  /// Asks for a job as if a room had begun.
  package struct SimulateJobRequest: Message {
    package var type: JobType = .init()
    package var room: Room?
    package var participant: ParticipantInfo?

    package init() {}

    package static let fields = FieldTable<Self>("SimulateJobRequest") {
      Field(1, "type", \.type)
      Field(2, "room", \.room)
      Field(3, "participant", \.participant)
    }
  }

  /// Names jobs that the worker has from an earlier connection.
  package struct MigrateJobRequest: Message {
    package var jobIDs: [String] = []
    package var jobs: [Job] = []

    package init() {}

    package static let fields = FieldTable<Self>("MigrateJobRequest") {
      Field(2, "job_ids", list: \.jobIDs)
      Field(3, "jobs", list: \.jobs)
    }
  }
}
