extension LiveKit {
  /// What an agent is asked into a room for.
  package struct JobType: Enumeration {
    package static let room = Self(rawValue: 0)
    package static let publisher = Self(rawValue: 1)
    package static let participant = Self(rawValue: 2)

    package static let schemaName = "JobType"
    package static let names: [Int32: String] = [0: "JT_ROOM", 1: "JT_PUBLISHER", 2: "JT_PARTICIPANT"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// How far a job is.
  package struct JobStatus: Enumeration {
    package static let pending = Self(rawValue: 0)
    package static let running = Self(rawValue: 1)
    package static let success = Self(rawValue: 2)
    package static let failed = Self(rawValue: 3)
    package static let cancelled = Self(rawValue: 4)

    package static let schemaName = "JobStatus"
    package static let names: [Int32: String] = [
      0: "JS_PENDING", 1: "JS_RUNNING", 2: "JS_SUCCESS", 3: "JS_FAILED", 4: "JS_CANCELLED",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Why a job waits, or has ended.
  package struct JobStateReason: Enumeration {
    package static let unspecified = Self(rawValue: 0)
    package static let noCapacity = Self(rawValue: 1)
    package static let roomClosed = Self(rawValue: 2)
    package static let dispatchDeleted = Self(rawValue: 3)
    package static let retrying = Self(rawValue: 4)

    package static let schemaName = "JobStateReason"
    package static let names: [Int32: String] = [
      0: "JSR_UNSPECIFIED", 1: "JSR_NO_CAPACITY", 2: "JSR_ROOM_CLOSED", 3: "JSR_DISPATCH_DELETED", 4: "JSR_RETRYING",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The work of one agent in a room.
  package struct Job: Message {
    /// Begins with `AJ_`.
    package var id: String = ""
    package var dispatchID: String = ""
    package var type: JobType = .init()
    package var room: Room?
    /// Nil for a job about the whole room.
    package var participant: ParticipantInfo?
    package var namespace: String = ""
    package var metadata: String = ""
    package var agentName: String = ""
    package var state: JobState?
    package var enableRecording: Bool = false
    package var deployment: String = ""
    package var attributes: [String: String] = [:]
    package var enableRedaction: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("Job") {
      Field(1, "id", \.id)
      Field(2, "type", \.type)
      Field(3, "room", \.room)
      Field(4, "participant", \.participant)
      Field(5, "namespace", \.namespace)
      Field(6, "metadata", \.metadata)
      Field(7, "agent_name", \.agentName)
      Field(8, "state", \.state)
      Field(9, "dispatch_id", \.dispatchID)
      Field(10, "enable_recording", \.enableRecording)
      Field(11, "deployment", \.deployment)
      Field(12, "attributes", map: \.attributes)
      Field(13, "enable_redaction", \.enableRedaction)
    }
  }

  /// What has become of a job. Times are nanoseconds since 1970.
  package struct JobState: Message {
    package var status: JobStatus = .init()
    package var error: String = ""
    package var startedAt: Int64 = 0
    package var endedAt: Int64 = 0
    package var updatedAt: Int64 = 0
    package var participantIdentity: String = ""
    package var workerID: String = ""
    package var agentID: String = ""
    package var reason: JobStateReason = .init()

    package init() {}

    package static let fields = FieldTable<Self>("JobState") {
      Field(1, "status", \.status)
      Field(2, "error", \.error)
      Field(3, "started_at", \.startedAt)
      Field(4, "ended_at", \.endedAt)
      Field(5, "updated_at", \.updatedAt)
      Field(6, "participant_identity", \.participantIdentity)
      Field(7, "worker_id", \.workerID)
      Field(8, "agent_id", \.agentID)
      Field(9, "reason", \.reason)
    }
  }
}
