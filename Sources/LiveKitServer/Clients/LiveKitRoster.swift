import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

/// The participants of a room as one LiveKit client knows them.
///
/// The version of a participant rises with each description that is made of it, because clients ignore older ones.
struct LiveKitRoster: Sendable {
  private struct Entry: Sendable {
    var sid: String
    var info: ParticipantInfo
    var version: UInt32 = 0
  }

  let room: RoomName
  private var entries: [UserID: Entry] = [:]
  private var users: [String: UserID] = [:]
  /// The users on seats, by the seats' indices.
  private var seats: [Int: UserID] = [:]

  init(room: RoomName) { self.room = room }

  var count: Int { entries.count }
  var publishers: Int { entries.values.count { !$0.info.tracks.isEmpty } }

  /// Adds a participant, or replaces what is known of it.
  mutating func set(_ info: ParticipantInfo) {
    let sid = LiveKitID.participant(info.userId, joinedAt: info.joinedAt, in: room)
    if let old = entries[info.userId], old.sid != sid { users[old.sid] = nil }
    entries[info.userId] = Entry(sid: sid, info: info, version: entries[info.userId]?.version ?? 0)
    users[sid] = info.userId
  }

  mutating func change(_ user: UserID, _ change: (inout ParticipantInfo) -> Void) {
    guard entries[user] != nil else { return }
    change(&entries[user, default: Entry(sid: "", info: ParticipantInfo(userId: user, grants: [], joinedAt: 0))].info)
  }

  /// The attribute of a seated participant that has the index of its seat.
  static let seatAttribute = "seat"

  /// Notes who is on a seat. Returns the participants whose seat changed.
  mutating func set(_ seat: SeatInfo) -> [UserID] {
    let old = seats[seat.index]
    guard old != seat.userId else { return [] }
    seats[seat.index] = seat.userId
    return [old, seat.userId].compactMap { $0 }
  }

  /// Notes who is on any seat. Returns the participants whose seat changed.
  mutating func set(_ all: [SeatInfo]) -> [UserID] {
    let gone = seats.keys.filter { index in !all.contains { $0.index == index } }
    return gone.compactMap { seats.removeValue(forKey: $0) } + all.flatMap { set($0) }
  }

  mutating func remove(_ user: UserID) {
    guard let entry = entries.removeValue(forKey: user) else { return }
    users[entry.sid] = nil
  }

  /// Returns the last descriptions of those who are no longer there, and forgets them. A user who left and joined again is another
  /// participant.
  mutating func describeLeft(staying infos: [ParticipantInfo]) -> [LiveKit.ParticipantInfo] {
    let staying = Dictionary(infos.map { ($0.userId, $0.joinedAt) }) { first, _ in first }
    return entries.filter { staying[$0.key] != $0.value.info.joinedAt }.keys.sorted { $0.rawValue < $1.rawValue }
      .compactMap { user in
        defer { if staying[user] == nil { remove(user) } }
        return describe(user, state: .disconnected)
      }
  }

  func sid(of user: UserID) -> String? { entries[user]?.sid }
  func user(_ sid: String) -> UserID? { users[sid] }
  func owner(of track: TrackID) -> UserID? {
    entries.first { $0.value.info.tracks.contains { $0.trackId == track } }?.key
  }

  func track(_ id: TrackID) -> TrackInfo? {
    for entry in entries.values { if let track = entry.info.tracks.first(where: { $0.trackId == id }) { return track } }
    return nil
  }

  /// Returns the next description of a participant.
  mutating func describe(_ user: UserID, state: LiveKit.ParticipantState = .active) -> LiveKit.ParticipantInfo? {
    guard var entry = entries[user] else { return nil }
    entry.version += 1
    entries[user] = entry
    let info = entry.info
    let seat = seats.first { $0.value == user }?.key
    return LiveKit.ParticipantInfo {
      $0.sid = entry.sid
      $0.identity = user.foreignName
      $0.state = state
      $0.name = info.profile?.name ?? ""
      $0.metadata = info.profile?.metadata ?? ""
      $0.attributes = info.profile?.attributes ?? [:]
      if let seat { $0.attributes[Self.seatAttribute] = "\(seat)" }
      $0.tracks = info.tracks.map { LiveKit.TrackInfo($0) }
      $0.joinedAt = info.joinedAt / 1000
      $0.joinedAtMilliseconds = info.joinedAt
      $0.version = entry.version
      $0.permission = LiveKit.ParticipantPermission(info)
      $0.isPublisher = !info.tracks.isEmpty
      switch info.kind {
      case .encoder?, .whip?: $0.kind = .ingress
      case .guest?, .forwarded?: $0.kindDetails = [.forwarded]
      case .agent?: $0.kind = .agent
      default: break
      }
    }
  }
}

extension ParticipantProfile {
  /// Applies a change of a LiveKit client or app server: an empty text leaves the name or metadata, and deletes an attribute.
  mutating func merge(name: String, metadata: String, attributes: [String: String]) {
    if !name.isEmpty { self.name = name }
    if !metadata.isEmpty { self.metadata = metadata }
    for (key, value) in attributes { self.attributes[key] = value.isEmpty ? nil : value }
  }
}

extension Permissions {
  /// What LiveKit's permission allows a participant of this server.
  /// - Parameter grants: those that it has now.
  init(_ permission: LiveKit.ParticipantPermission, now grants: Grants) {
    var grants = grants.intersection([.admin, .relay])
    if permission.canPublish { grants.insert(.publish) }
    if permission.canSubscribe { grants.insert(.subscribe) }
    self.init(
      grants: grants,
      sources: permission.canPublishSources.isEmpty ? nil : permission.canPublishSources.compactMap(\.tag),
      data: permission.canPublishData, ownProfile: permission.canUpdateMetadata)
  }
}

extension LiveKit.ParticipantPermission {
  init(_ info: ParticipantInfo) {
    self.init {
      $0.canSubscribe = info.grants.contains(.subscribe)
      $0.canPublish = info.grants.contains(.publish)
      $0.canPublishData = info.permissions?.data ?? $0.canPublish
      $0.canPublishSources = (info.permissions?.sources ?? []).compactMap { LiveKit.TrackSource(tag: $0) }
      $0.canUpdateMetadata = info.permissions?.ownProfile ?? false
      $0.hidden = info.grants.contains(.hidden)
      $0.agent = info.kind == .agent
    }
  }
}

extension LiveKit.TrackInfo {
  init(_ track: TrackInfo) {
    self.init {
      $0.sid = track.trackId.rawValue
      $0.type = track.kind == .audio ? .audio : .video
      $0.name = track.name ?? ""
      $0.muted = track.muted
      $0.width = UInt32(clamping: track.width ?? 0)
      $0.height = UInt32(clamping: track.height ?? 0)
      $0.source = LiveKit.TrackSource(kind: track.kind, tag: track.tag)
      if let codec = track.codec { $0.mimeType = Self.mimeType(track.kind, codec) }
      if track.kind == .video {
        $0.simulcast = track.layers != nil
        $0.layers = LiveKit.VideoLayer.all(of: track)
        let codecs = [$0.mimeType] + track.backups.map { Self.mimeType(.video, $0) }
        $0.codecs = codecs.map { [layers = $0.layers] mimeType in
          LiveKit.SimulcastCodecInfo {
            $0.mimeType = mimeType
            $0.layers = layers
          }
        }
      }
    }
  }

  private static func mimeType(_ kind: TrackKind, _ codec: CodecName) -> String {
    kind == .audio ? "audio/\(codec.rawValue.lowercased())" : "video/\(codec.rawValue.uppercased())"
  }
}

extension LiveKit.TrackSource {
  /// The tag of this server's tracks of each source.
  private static let tags: [Self: String] = [
    .camera: "camera", .microphone: "microphone", .screenShare: "screen", .screenShareAudio: "screenAudio",
  ]

  var tag: String? { Self.tags[self] }

  /// Nil for a tag of no source.
  init?(tag: String) {
    guard let source = Self.tags.first(where: { $0.value == tag })?.key else { return nil }
    self = source
  }

  init(kind: TrackKind, tag: String) {
    let isScreen = tag.hasPrefix("screen")
    self = kind == .audio ? (isScreen ? .screenShareAudio : .microphone) : isScreen ? .screenShare : .camera
  }
}
