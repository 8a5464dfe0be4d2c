// What a worker of agents is sent over its WebSocket.

extension LiveKit {
  /// A message to a worker.
  package struct ServerMessage: Message {
    package enum Content: Sendable, Equatable {
      case register(RegisterWorkerResponse)
      case availability(AvailabilityRequest)
      case assignment(JobAssignment)
      case pong(WorkerPong)
      case termination(JobTermination)
    }

    package var message: Content?

    package init() {}

    package static let fields = FieldTable<Self>("ServerMessage") {
      Field(1, "register", of: "message", \.message, Content.register) {
        if case .register(let value) = $0 { value } else { nil }
      }
      Field(2, "availability", of: "message", \.message, Content.availability) {
        if case .availability(let value) = $0 { value } else { nil }
      }
      Field(3, "assignment", of: "message", \.message, Content.assignment) {
        if case .assignment(let value) = $0 { value } else { nil }
      }
      Field(4, "pong", of: "message", \.message, Content.pong) { if case .pong(let value) = $0 { value } else { nil } }
      Field(5, "termination", of: "message", \.message, Content.termination) {
        if case .termination(let value) = $0 { value } else { nil }
      }
    }
  }

  /// The worker is registered.
  package struct RegisterWorkerResponse: Message {
    /// Begins with `AW_`.
    package var workerID: String = ""
    package var serverInfo: ServerInfo?

    package init() {}

    package static let fields = FieldTable<Self>("RegisterWorkerResponse") {
      Field(1, "worker_id", \.workerID)
      Field(3, "server_info", \.serverInfo)
    }
  }

  /// Offers a job.
  package struct AvailabilityRequest: Message {
    package var job: Job?
    package var resuming: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("AvailabilityRequest") {
      Field(1, "job", \.job)
      Field(2, "resuming", \.resuming)
    }
  }

  /// The worker does the job.
  package struct JobAssignment: Message {
    package var job: Job?
    /// The URL at which the agent joins; nil for the address of the worker's own connection.
    package var url: String?
    /// With which the agent joins.
    package var token: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("JobAssignment") {
      Field(1, "job", \.job)
      Field(2, "url", \.url)
      Field(3, "token", \.token)
    }
  }

  /// The worker is to end a job.
  package struct JobTermination: Message {
    package var jobID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("JobTermination") {
      Field(1, "job_id", \.jobID)
    }
  }

  /// The answer to a ``WorkerPing``.
  package struct WorkerPong: Message {
    package var lastTimestamp: Int64 = 0
    /// The server's time in milliseconds.
    package var timestamp: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("WorkerPong") {
      Field(1, "last_timestamp", \.lastTimestamp)
      Field(2, "timestamp", \.timestamp)
    }
  }
}
