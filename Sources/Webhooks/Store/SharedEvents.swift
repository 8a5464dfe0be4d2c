import RoomCluster
import RoomProtocol
import RoomRedis

/// What a node of a cluster needs to store its events beside those of the others.
package struct SharedEvents: Sendable {
  package var redis: RedisClient
  /// The node's own; nil while it is no member.
  package var incarnation: @Sendable () -> Incarnation?
  /// Whether the node looks for events that dead ones have not delivered.
  package var isDelegate: @Sendable () -> Bool
  /// The fence of a room that the node owns now; nil for another room.
  package var fence: @Sendable (RoomName) -> Int64?

  package init(
    _ redis: RedisClient, incarnation: @escaping @Sendable () -> Incarnation?,
    isDelegate: @escaping @Sendable () -> Bool = { true }, fence: @escaping @Sendable (RoomName) -> Int64?
  ) {
    (self.redis, self.incarnation, self.isDelegate, self.fence) = (redis, incarnation, isDelegate, fence)
  }
}
