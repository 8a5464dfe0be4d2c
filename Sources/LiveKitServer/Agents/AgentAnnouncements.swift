import RoomProtocol
import RoomRTP
import RoomServer
import RoomToken

/// The agents with which rooms begin that are about to open.
struct AgentAnnouncements: Sendable {
  private struct Announcement {
    var agents: [RoomAgent]
    var room: ForeignName
    var at: Instant
  }

  /// The maximum number of rooms.
  private static let maximum = 1000
  /// How long an announcement is valid, in microseconds.
  private static let validity: Int64 = 60_000_000

  private var all: [RoomName: Announcement] = [:]

  /// Adds a room. Returns false if there are too many.
  mutating func add(_ agents: [RoomAgent], for room: ForeignName, at now: Instant) -> Bool {
    all = all.filter { now - $0.value.at < Self.validity }
    guard all.count < Self.maximum else { return false }
    all[room.room] = Announcement(agents: agents, room: room, at: now)
    return true
  }

  mutating func remove(_ room: RoomName) { all[room] = nil }

  /// Removes a room that has opened. Returns its dispatches.
  /// - Parameters:
  ///   - session: the incarnation of the room.
  ///   - time: milliseconds since 1970.
  mutating func take(_ room: RoomName, session: String, at time: Int64) -> [AgentDispatch] {
    guard let announcement = all.removeValue(forKey: room) else { return [] }
    return announcement.agents.map { agent in
      var dispatch = AgentDispatch(
        agent: agent.name, room: room, roomName: announcement.room.text, session: session, createdAt: time)
      (dispatch.metadata, dispatch.attributes, dispatch.restarts) = (agent.metadata, agent.attributes, agent.restarts)
      dispatch.isFromBeginning = true
      return dispatch
    }
  }
}
