extension LiveKit {
  /// The state of an egress.
  package struct EgressStatus: Enumeration {
    package static let starting = Self(rawValue: 0)
    package static let active = Self(rawValue: 1)
    package static let ending = Self(rawValue: 2)
    package static let complete = Self(rawValue: 3)
    package static let failed = Self(rawValue: 4)
    package static let aborted = Self(rawValue: 5)
    package static let limitReached = Self(rawValue: 6)

    package static let schemaName = "EgressStatus"
    package static let names: [Int32: String] = [
      0: "EGRESS_STARTING", 1: "EGRESS_ACTIVE", 2: "EGRESS_ENDING", 3: "EGRESS_COMPLETE", 4: "EGRESS_FAILED",
      5: "EGRESS_ABORTED", 6: "EGRESS_LIMIT_REACHED",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// How an egress receives a room.
  package struct EgressSourceType: Enumeration {
    package static let web = Self(rawValue: 0)
    package static let sdk = Self(rawValue: 1)

    package static let schemaName = "EgressSourceType"
    package static let names: [Int32: String] = [0: "EGRESS_SOURCE_TYPE_WEB", 1: "EGRESS_SOURCE_TYPE_SDK"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The state of a live stream.
  package struct StreamStatus: Enumeration {
    package static let active = Self(rawValue: 0)
    package static let finished = Self(rawValue: 1)
    package static let failed = Self(rawValue: 2)

    package static let schemaName = "StreamInfo.Status"
    package static let names: [Int32: String] = [0: "ACTIVE", 1: "FINISHED", 2: "FAILED"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The state of an egress.
  package struct EgressInfo: Message {
    package enum Request: Sendable, Equatable {
      case roomComposite(RoomCompositeEgressRequest)
      case trackComposite(TrackCompositeEgressRequest)
      case track(TrackEgressRequest)
      case participant(ParticipantEgressRequest)
      case egress(StartEgressRequest)
    }

    package enum Result: Sendable, Equatable {
      case stream(StreamInfoList)
      case file(FileInfo)
      case segments(SegmentsInfo)
    }

    package var egressID: String = ""
    package var roomID: String = ""
    package var status: EgressStatus = .init()
    package var request: Request?
    package var result: Result?
    package var error: String = ""
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    package var roomName: String = ""
    package var streamResults: [StreamInfo] = []
    package var fileResults: [FileInfo] = []
    package var segmentResults: [SegmentsInfo] = []
    /// Nanoseconds since 1970.
    package var updatedAt: Int64 = 0
    package var imageResults: [ImagesInfo] = []
    package var details: String = ""
    package var errorCode: Int32 = 0
    package var manifestLocation: String = ""
    package var backupStorageUsed: Bool = false
    package var sourceType: EgressSourceType = .init()
    package var retryCount: Int32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("EgressInfo") {
      Field(1, "egress_id", \.egressID)
      Field(2, "room_id", \.roomID)
      Field(3, "status", \.status)
      Field(4, "room_composite", of: "request", \.request, Request.roomComposite) {
        if case .roomComposite(let value) = $0 { value } else { nil }
      }
      Field(5, "track_composite", of: "request", \.request, Request.trackComposite) {
        if case .trackComposite(let value) = $0 { value } else { nil }
      }
      Field(6, "track", of: "request", \.request, Request.track) { if case .track(let value) = $0 { value } else { nil } }
      Field(7, "stream", of: "result", \.result, Result.stream) { if case .stream(let value) = $0 { value } else { nil } }
      Field(8, "file", of: "result", \.result, Result.file) { if case .file(let value) = $0 { value } else { nil } }
      Field(9, "error", \.error)
      Field(10, "started_at", \.startedAt)
      Field(11, "ended_at", \.endedAt)
      Field(12, "segments", of: "result", \.result, Result.segments) {
        if case .segments(let value) = $0 { value } else { nil }
      }
      Field(13, "room_name", \.roomName)
      Field(15, "stream_results", list: \.streamResults)
      Field(16, "file_results", list: \.fileResults)
      Field(17, "segment_results", list: \.segmentResults)
      Field(18, "updated_at", \.updatedAt)
      Field(19, "participant", of: "request", \.request, Request.participant) {
        if case .participant(let value) = $0 { value } else { nil }
      }
      Field(20, "image_results", list: \.imageResults)
      Field(21, "details", \.details)
      Field(22, "error_code", \.errorCode)
      Field(23, "manifest_location", \.manifestLocation)
      Field(25, "backup_storage_used", \.backupStorageUsed)
      Field(26, "source_type", \.sourceType)
      Field(27, "retry_count", \.retryCount)
      Field(29, "egress", of: "request", \.request, Request.egress) { if case .egress(let value) = $0 { value } else { nil } }
    }
  }

  /// Live streams, in the form of older app servers.
  package struct StreamInfoList: Message {
    package var info: [StreamInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("StreamInfoList") {
      Field(1, "info", list: \.info)
    }
  }

  /// A live stream of an egress.
  package struct StreamInfo: Message {
    package var url: String = ""
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    /// Nanoseconds.
    package var duration: Int64 = 0
    package var status: StreamStatus = .init()
    package var error: String = ""
    package var lastRetryAt: Int64 = 0
    package var retries: UInt32 = 0
    package var id: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("StreamInfo") {
      Field(1, "url", \.url)
      Field(2, "started_at", \.startedAt)
      Field(3, "ended_at", \.endedAt)
      Field(4, "duration", \.duration)
      Field(5, "status", \.status)
      Field(6, "error", \.error)
      Field(7, "last_retry_at", \.lastRetryAt)
      Field(8, "retries", \.retries)
      Field(9, "id", \.id)
    }
  }

  /// A file of an egress.
  package struct FileInfo: Message {
    package var filename: String = ""
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    package var size: Int64 = 0
    package var location: String = ""
    /// Nanoseconds.
    package var duration: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("FileInfo") {
      Field(1, "filename", \.filename)
      Field(2, "started_at", \.startedAt)
      Field(3, "ended_at", \.endedAt)
      Field(4, "size", \.size)
      Field(5, "location", \.location)
      Field(6, "duration", \.duration)
    }
  }

  /// HLS segments of an egress.
  package struct SegmentsInfo: Message {
    package var playlistName: String = ""
    /// Nanoseconds.
    package var duration: Int64 = 0
    package var size: Int64 = 0
    package var playlistLocation: String = ""
    package var segmentCount: Int64 = 0
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    package var livePlaylistName: String = ""
    package var livePlaylistLocation: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("SegmentsInfo") {
      Field(1, "playlist_name", \.playlistName)
      Field(2, "duration", \.duration)
      Field(3, "size", \.size)
      Field(4, "playlist_location", \.playlistLocation)
      Field(5, "segment_count", \.segmentCount)
      Field(6, "started_at", \.startedAt)
      Field(7, "ended_at", \.endedAt)
      Field(8, "live_playlist_name", \.livePlaylistName)
      Field(9, "live_playlist_location", \.livePlaylistLocation)
    }
  }

  /// Pictures of an egress.
  package struct ImagesInfo: Message {
    package var imageCount: Int64 = 0
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    package var filenamePrefix: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("ImagesInfo") {
      Field(1, "image_count", \.imageCount)
      Field(2, "started_at", \.startedAt)
      Field(3, "ended_at", \.endedAt)
      Field(4, "filename_prefix", \.filenamePrefix)
    }
  }
}
