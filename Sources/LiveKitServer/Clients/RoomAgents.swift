import RoomProtocol
import RoomServer
import RoomToken

/// Starts agents with rooms that are about to open.
protocol RoomAgents: Sendable {
  /// Notes the agents that a room begins with, instead of those of every room.
  func announce(_ agents: [RoomAgent], for room: ForeignName) async
  /// Ends ``announce(_:for:)`` once the room is open, or was not opened.
  func withdraw(_ room: RoomName)
}
