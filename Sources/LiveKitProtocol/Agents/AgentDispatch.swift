extension LiveKit {
  /// When an agent starts again.
  package struct JobRestartPolicy: Enumeration {
    package static let onFailure = Self(rawValue: 0)
    package static let never = Self(rawValue: 1)

    package static let schemaName = "JobRestartPolicy"
    package static let names: [Int32: String] = [0: "JRP_ON_FAILURE", 1: "JRP_NEVER"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// An agent that joins a room when it begins.
  package struct RoomAgentDispatch: Message {
    package var agentName: String = ""
    package var metadata: String = ""
    package var restartPolicy: JobRestartPolicy = .init()
    package var deployment: String = ""
    package var attributes: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("RoomAgentDispatch") {
      Field(1, "agent_name", \.agentName)
      Field(2, "metadata", \.metadata)
      Field(3, "restart_policy", \.restartPolicy)
      Field(4, "deployment", \.deployment)
      Field(5, "attributes", map: \.attributes)
    }
  }

  /// Asks an agent into a room.
  package struct CreateAgentDispatchRequest: Message {
    package var agentName: String = ""
    package var room: String = ""
    package var metadata: String = ""
    package var restartPolicy: JobRestartPolicy = .init()
    package var deployment: String = ""
    package var attributes: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("CreateAgentDispatchRequest") {
      Field(1, "agent_name", \.agentName)
      Field(2, "room", \.room)
      Field(3, "metadata", \.metadata)
      Field(4, "restart_policy", \.restartPolicy)
      Field(5, "deployment", \.deployment)
      Field(6, "attributes", map: \.attributes)
    }
  }

  /// Withdraws a dispatch.
  package struct DeleteAgentDispatchRequest: Message {
    package var dispatchID: String = ""
    package var room: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("DeleteAgentDispatchRequest") {
      Field(1, "dispatch_id", \.dispatchID)
      Field(2, "room", \.room)
    }
  }

  /// Asks for the dispatches of a room.
  package struct ListAgentDispatchRequest: Message {
    package var dispatchID: String = ""
    package var room: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("ListAgentDispatchRequest") {
      Field(1, "dispatch_id", \.dispatchID)
      Field(2, "room", \.room)
    }
  }

  /// Dispatches.
  package struct ListAgentDispatchResponse: Message {
    package var agentDispatches: [AgentDispatch] = []

    package init() {}

    package static let fields = FieldTable<Self>("ListAgentDispatchResponse") {
      Field(1, "agent_dispatches", list: \.agentDispatches)
    }
  }

  /// An agent that was asked into a room.
  package struct AgentDispatch: Message {
    package var id: String = ""
    package var agentName: String = ""
    package var room: String = ""
    package var metadata: String = ""
    package var state: AgentDispatchState?
    package var restartPolicy: JobRestartPolicy = .init()
    package var deployment: String = ""
    package var attributes: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("AgentDispatch") {
      Field(1, "id", \.id)
      Field(2, "agent_name", \.agentName)
      Field(3, "room", \.room)
      Field(4, "metadata", \.metadata)
      Field(5, "state", \.state)
      Field(6, "restart_policy", \.restartPolicy)
      Field(7, "deployment", \.deployment)
      Field(8, "attributes", map: \.attributes)
    }
  }

  /// The jobs and times of a dispatch.
  package struct AgentDispatchState: Message {
    package var jobs: [Job] = []
    /// Nanoseconds since 1970.
    package var createdAt: Int64 = 0
    package var deletedAt: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("AgentDispatchState") {
      Field(1, "jobs", list: \.jobs)
      Field(2, "created_at", \.createdAt)
      Field(3, "deleted_at", \.deletedAt)
    }
  }
}
