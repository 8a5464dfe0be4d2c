import RoomCluster
import RoomProtocol
import RoomRedis

/// What a node of a cluster needs to store its events beside those of the others.
package struct SharedEvents: Sendable {
  package var redis: RedisClient
  /// The node's own; nil while it is no member.
  package var incarnation: @Sendable () -> Incarnation?
  /// The fence of a room that the node owns now; nil for another room.
  package var fence: @Sendable (RoomName) -> Int64?

  package init(
    _ redis: RedisClient, incarnation: @escaping @Sendable () -> Incarnation?,
    fence: @escaping @Sendable (RoomName) -> Int64?
  ) {
    (self.redis, self.incarnation, self.fence) = (redis, incarnation, fence)
  }
}
