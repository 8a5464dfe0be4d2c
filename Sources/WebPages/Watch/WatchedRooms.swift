import RoomEngine
import RoomLinux
import RoomLiveOrigin
import RoomProtocol
import RoomRTP
import RoomServer

/// The states of rooms for their viewers. A room is asked at most once in `freshness`, however many viewers it has.
struct WatchedRooms: Sendable {
  private let directory: RoomDirectory
  private let kept = Guarded<[RoomName: (read: Instant, room: WatchedRoom)]>([:])

  /// How old the state of a room may be, in microseconds.
  private static let freshness: Int64 = 500_000
  /// Rooms whose state is kept at a time; above it, old states are removed.
  private static let mostKept = 1000

  init(_ directory: RoomDirectory) { self.directory = directory }

  /// Returns nil if there is no room of that name.
  func room(_ name: RoomName) async -> WatchedRoom? {
    let now = Instant.now
    if let kept = kept.withLock({ $0[name] }), now - kept.read < Self.freshness { return kept.room }
    guard let room = await directory.room(name) else {
      kept.withLock { $0[name] = nil }
      return nil
    }
    let watched = await WatchedRoom(room)
    kept.withLock { rooms in
      if rooms.count >= Self.mostKept { rooms = rooms.filter { now - $0.value.read < Self.freshness } }
      if rooms.count < Self.mostKept { rooms[name] = (now, watched) }
    }
    return watched
  }
}

/// The state of a room as its viewers see it.
struct WatchedRoom: Sendable {
  var policy: WatchPolicy
  var hasTracks: Bool
  /// The layers of the picture by WHEP, smallest first; empty if it has one size.
  var layers: [VideoLayer]
  /// The people who watch in the room: by WHEP, and as participants that only receive.
  var viewers: Int
  /// The stream of the origin on which the room is on air.
  var stream: StreamPath?
  /// The stream for viewers without WebRTC while the room has no live.
  var program: StreamPath?
  var messages: [RoomMessage] = []

  init(_ room: Room) async {
    let name = room.name
    self = await room.read { WatchedRoom($0, name) }
  }

  private init(_ room: RoomCore, _ name: RoomName) {
    policy = room.settings.watch
    let counts = room.counts
    (hasTracks, viewers) = (counts.tracks > 0, counts.viewers)
    layers = room.stageLayers
    stream = room.jobList.stream(of: name)
    program = room.jobList.program
    if policy.chat { messages = room.publicMessages }
  }

  /// The stream of a room: the one on which it is on air, or else the one that is expected.
  static func stream(of room: WatchedRoom?, _ name: RoomName) -> StreamPath? {
    room?.stream ?? room?.program ?? StreamPath(app: PlayAddresses.app, stream: name.rawValue)
  }
}
