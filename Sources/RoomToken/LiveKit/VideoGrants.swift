/// The permissions of a LiveKit token: its claim `video`. What a token leaves out is false, except where stated.
public struct VideoGrants: Hashable, Sendable {
  /// A kind of track that a participant may publish.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    case camera, microphone
    case screenShare = "screen_share"
    case screenShareAudio = "screen_share_audio"
  }

  /// Create and delete rooms.
  public var roomCreate = false
  /// List rooms.
  public var roomList = false
  /// Start and end recordings and live streams.
  public var roomRecord = false
  /// Manage the room ``room``.
  public var roomAdmin = false
  /// Join the room ``room``.
  public var roomJoin = false
  /// Nil for a token that is for no single room.
  public var room: ForeignName?
  /// The room to which ``room``'s participants may be moved and forwarded.
  public var destinationRoom: ForeignName?
  /// Publish tracks; true if a token leaves it out.
  public var canPublish = true
  /// Receive tracks; true if a token leaves it out.
  public var canSubscribe = true
  /// Send data; that of ``canPublish`` if a token leaves it out.
  public var canPublishData = true
  /// The tracks that may be published if ``canPublish``; empty for all.
  public var canPublishSources: [Source] = []
  /// Change the own name, metadata and attributes.
  public var canUpdateOwnMetadata = false
  /// Manage the streams of encoders.
  public var ingressAdmin = false
  /// Not shown to others.
  public var hidden = false
  /// A participant that records.
  public var recorder = false
  /// A worker of agents.
  public var agent = false
  public var canSubscribeMetrics = false
  public var canManageAgentSession = false

  public init() {}

  /// Returns whether a track may be published.
  public func canPublish(_ source: Source?) -> Bool {
    canPublish && (canPublishSources.isEmpty || source.map(canPublishSources.contains) ?? false)
  }
}

extension VideoGrants: Codable {
  private enum CodingKeys: String, CodingKey {
    case roomCreate, roomList, roomRecord, roomAdmin, roomJoin, room, destinationRoom, canPublish, canSubscribe, canPublishData
    case canPublishSources, canUpdateOwnMetadata, ingressAdmin, hidden, recorder, agent, canSubscribeMetrics
    case canManageAgentSession
  }

  /// Reads grants. Unknown ones, and unknown sources, are ignored.
  /// - Throws: `DecodingError` for a value of the wrong type, or a name of more than 256 bytes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func flag(_ key: CodingKeys) throws -> Bool { try values.decodeIfPresent(Bool.self, forKey: key) ?? false }
    func name(_ key: CodingKeys) throws -> ForeignName? {
      guard let text = try values.decodeIfPresent(String.self, forKey: key), !text.isEmpty else { return nil }
      guard let name = ForeignName(text) else {
        throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: "a name has at most 256 bytes")
      }
      return name
    }
    roomCreate = try flag(.roomCreate)
    roomList = try flag(.roomList)
    roomRecord = try flag(.roomRecord)
    roomAdmin = try flag(.roomAdmin)
    roomJoin = try flag(.roomJoin)
    room = try name(.room)
    destinationRoom = try name(.destinationRoom)
    canPublish = try values.decodeIfPresent(Bool.self, forKey: .canPublish) ?? true
    canSubscribe = try values.decodeIfPresent(Bool.self, forKey: .canSubscribe) ?? true
    canPublishData = try values.decodeIfPresent(Bool.self, forKey: .canPublishData) ?? canPublish
    let sources = try values.decodeIfPresent([String].self, forKey: .canPublishSources) ?? []
    canPublishSources = sources.compactMap { Source(rawValue: $0.lowercased()) }
    // A list of unknown sources is not an empty list: it allows nothing that is known here.
    if canPublishSources.isEmpty, !sources.isEmpty { canPublish = false }
    canUpdateOwnMetadata = try flag(.canUpdateOwnMetadata)
    ingressAdmin = try flag(.ingressAdmin)
    hidden = try flag(.hidden)
    recorder = try flag(.recorder)
    agent = try flag(.agent)
    canSubscribeMetrics = try flag(.canSubscribeMetrics)
    canManageAgentSession = try flag(.canManageAgentSession)
  }

  /// Writes the grants that differ from those of a token without them.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    func write(_ flag: Bool, _ key: CodingKeys, unless standard: Bool = false) throws {
      if flag != standard { try values.encode(flag, forKey: key) }
    }
    try write(roomCreate, .roomCreate)
    try write(roomList, .roomList)
    try write(roomRecord, .roomRecord)
    try write(roomAdmin, .roomAdmin)
    try write(roomJoin, .roomJoin)
    try values.encodeIfPresent(room?.text, forKey: .room)
    try values.encodeIfPresent(destinationRoom?.text, forKey: .destinationRoom)
    // Readers differ in what they take for the value that is left out.
    try values.encode(canPublish, forKey: .canPublish)
    try values.encode(canSubscribe, forKey: .canSubscribe)
    try values.encode(canPublishData, forKey: .canPublishData)
    if !canPublishSources.isEmpty { try values.encode(canPublishSources.map(\.rawValue), forKey: .canPublishSources) }
    try write(canUpdateOwnMetadata, .canUpdateOwnMetadata)
    try write(ingressAdmin, .ingressAdmin)
    try write(hidden, .hidden)
    try write(recorder, .recorder)
    try write(agent, .agent)
    try write(canSubscribeMetrics, .canSubscribeMetrics)
    try write(canManageAgentSession, .canManageAgentSession)
  }
}
