// Messages about the room and its participants.

extension LiveKit {
  /// The quality of a connection.
  package struct ConnectionQuality: Enumeration {
    package static let poor = Self(rawValue: 0)
    package static let good = Self(rawValue: 1)
    package static let excellent = Self(rawValue: 2)
    package static let lost = Self(rawValue: 3)

    package static let schemaName = "ConnectionQuality"
    package static let names: [Int32: String] = [0: "POOR", 1: "GOOD", 2: "EXCELLENT", 3: "LOST"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The outcome of a request.
  package struct RequestReason: Enumeration {
    package static let ok = Self(rawValue: 0)
    package static let notFound = Self(rawValue: 1)
    package static let notAllowed = Self(rawValue: 2)
    package static let limitExceeded = Self(rawValue: 3)
    package static let queued = Self(rawValue: 4)
    package static let unsupportedType = Self(rawValue: 5)
    package static let unclassifiedError = Self(rawValue: 6)
    package static let invalidHandle = Self(rawValue: 7)
    package static let invalidName = Self(rawValue: 8)
    package static let duplicateHandle = Self(rawValue: 9)
    package static let duplicateName = Self(rawValue: 10)
    package static let invalidRequest = Self(rawValue: 11)

    package static let schemaName = "RequestResponse.Reason"
    package static let names: [Int32: String] = [
      0: "OK", 1: "NOT_FOUND", 2: "NOT_ALLOWED", 3: "LIMIT_EXCEEDED", 4: "QUEUED", 5: "UNSUPPORTED_TYPE",
      6: "UNCLASSIFIED_ERROR", 7: "INVALID_HANDLE", 8: "INVALID_NAME", 9: "DUPLICATE_HANDLE", 10: "DUPLICATE_NAME",
      11: "INVALID_REQUEST",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The transport of a candidate.
  package struct CandidateProtocol: Enumeration {
    package static let udp = Self(rawValue: 0)
    package static let tcp = Self(rawValue: 1)
    package static let tls = Self(rawValue: 2)

    package static let schemaName = "CandidateProtocol"
    package static let names: [Int32: String] = [0: "UDP", 1: "TCP", 2: "TLS"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Participants that have changed, joined or left.
  package struct ParticipantUpdate: Message {
    package var participants: [ParticipantInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantUpdate") {
      Field(1, "participants", list: \.participants)
    }
  }

  /// The room has changed.
  package struct RoomUpdate: Message {
    package var room: Room?

    package init() {}

    package static let fields = FieldTable<Self>("RoomUpdate") {
      Field(1, "room", \.room)
    }
  }

  /// Speakers whose level has changed.
  package struct SpeakersChanged: Message {
    package var speakers: [SpeakerInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("SpeakersChanged") {
      Field(1, "speakers", list: \.speakers)
    }
  }

  /// The sound level of a participant.
  package struct SpeakerInfo: Message {
    package var sid: String = ""
    /// 0 for silence, 1 for full scale.
    package var level: Float = 0
    package var active: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("SpeakerInfo") {
      Field(1, "sid", \.sid)
      Field(2, "level", \.level)
      Field(3, "active", \.active)
    }
  }

  /// The quality of participants' connections.
  package struct ConnectionQualityUpdate: Message {
    package var updates: [ConnectionQualityInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("ConnectionQualityUpdate") {
      Field(1, "updates", list: \.updates)
    }
  }

  /// The quality of one participant's connection.
  package struct ConnectionQualityInfo: Message {
    package var participantSID: String = ""
    package var quality: ConnectionQuality = .init()
    package var score: Float = 0

    package init() {}

    package static let fields = FieldTable<Self>("ConnectionQualityInfo") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "quality", \.quality)
      Field(3, "score", \.score)
    }
  }

  /// A participant's change of its own name, metadata and attributes.
  package struct UpdateParticipantMetadata: Message {
    package var metadata: String = ""
    package var name: String = ""
    /// An empty value deletes the attribute.
    package var attributes: [String: String] = [:]
    package var requestID: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("UpdateParticipantMetadata") {
      Field(1, "metadata", \.metadata)
      Field(2, "name", \.name)
      Field(3, "attributes", map: \.attributes)
      Field(4, "request_id", \.requestID)
    }
  }

  /// The outcome of a request.
  package struct RequestResponse: Message {
    package enum Request: Sendable, Equatable {
      case trickle(TrickleRequest)
      case addTrack(AddTrackRequest)
      case mute(MuteTrackRequest)
      case updateMetadata(UpdateParticipantMetadata)
      case updateAudioTrack(UpdateLocalAudioTrack)
      case updateVideoTrack(UpdateLocalVideoTrack)
      case publishDataTrack(PublishDataTrackRequest)
      case unpublishDataTrack(UnpublishDataTrackRequest)
    }

    package var requestID: UInt32 = 0
    package var reason: RequestReason = .init()
    package var message: String = ""
    package var request: Request?

    package init() {}

    package static let fields = FieldTable<Self>("RequestResponse") {
      Field(1, "request_id", \.requestID)
      Field(2, "reason", \.reason)
      Field(3, "message", \.message)
      Field(4, "trickle", of: "request", \.request, Request.trickle) { if case .trickle(let value) = $0 { value } else { nil } }
      Field(5, "add_track", of: "request", \.request, Request.addTrack) {
        if case .addTrack(let value) = $0 { value } else { nil }
      }
      Field(6, "mute", of: "request", \.request, Request.mute) { if case .mute(let value) = $0 { value } else { nil } }
      Field(7, "update_metadata", of: "request", \.request, Request.updateMetadata) {
        if case .updateMetadata(let value) = $0 { value } else { nil }
      }
      Field(8, "update_audio_track", of: "request", \.request, Request.updateAudioTrack) {
        if case .updateAudioTrack(let value) = $0 { value } else { nil }
      }
      Field(9, "update_video_track", of: "request", \.request, Request.updateVideoTrack) {
        if case .updateVideoTrack(let value) = $0 { value } else { nil }
      }
      Field(10, "publish_data_track", of: "request", \.request, Request.publishDataTrack) {
        if case .publishDataTrack(let value) = $0 { value } else { nil }
      }
      Field(11, "unpublish_data_track", of: "request", \.request, Request.unpublishDataTrack) {
        if case .unpublishDataTrack(let value) = $0 { value } else { nil }
      }
    }
  }

  /// A fault that a client wants to see, for tests.
  package struct SimulateScenario: Message {
    package enum Scenario: Sendable, Equatable {
      case speakerUpdate(Int32)
      case nodeFailure(Bool)
      case migration(Bool)
      case serverLeave(Bool)
      case switchCandidateProtocol(CandidateProtocol)
      case subscriberBandwidth(Int64)
      case disconnectSignalOnResume(Bool)
      case disconnectSignalOnResumeNoMessages(Bool)
      case leaveRequestFullReconnect(Bool)
    }

    package var scenario: Scenario?

    package init() {}

    package static let fields = FieldTable<Self>("SimulateScenario") {
      Field(1, "speaker_update", of: "scenario", \.scenario, Scenario.speakerUpdate) {
        if case .speakerUpdate(let value) = $0 { value } else { nil }
      }
      Field(2, "node_failure", of: "scenario", \.scenario, Scenario.nodeFailure) {
        if case .nodeFailure(let value) = $0 { value } else { nil }
      }
      Field(3, "migration", of: "scenario", \.scenario, Scenario.migration) {
        if case .migration(let value) = $0 { value } else { nil }
      }
      Field(4, "server_leave", of: "scenario", \.scenario, Scenario.serverLeave) {
        if case .serverLeave(let value) = $0 { value } else { nil }
      }
      Field(5, "switch_candidate_protocol", of: "scenario", \.scenario, Scenario.switchCandidateProtocol) {
        if case .switchCandidateProtocol(let value) = $0 { value } else { nil }
      }
      Field(6, "subscriber_bandwidth", of: "scenario", \.scenario, Scenario.subscriberBandwidth) {
        if case .subscriberBandwidth(let value) = $0 { value } else { nil }
      }
      Field(7, "disconnect_signal_on_resume", of: "scenario", \.scenario, Scenario.disconnectSignalOnResume) {
        if case .disconnectSignalOnResume(let value) = $0 { value } else { nil }
      }
      Field(
        8, "disconnect_signal_on_resume_no_messages", of: "scenario", \.scenario, Scenario.disconnectSignalOnResumeNoMessages
      ) { if case .disconnectSignalOnResumeNoMessages(let value) = $0 { value } else { nil } }
      Field(9, "leave_request_full_reconnect", of: "scenario", \.scenario, Scenario.leaveRequestFullReconnect) {
        if case .leaveRequestFullReconnect(let value) = $0 { value } else { nil }
      }
    }
  }
}
