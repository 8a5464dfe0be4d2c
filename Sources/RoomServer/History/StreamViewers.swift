import RoomLiveOrigin
import RoomOriginServer

/// The viewers of live streams, with those of a stream's variants.
enum StreamViewers {
  /// Returns the number of viewers by application and stream, without streams that nobody watches.
  static func count(in origin: Origin) -> [String: Int] {
    var counts: [String: Int] = [:]
    for listed in origin.list {
      let viewers = listed.viewers.values.reduce(0, +)
      guard viewers > 0 else { continue }
      counts["\(listed.path.app)/\(StreamVariant(listed.path.stream)?.source ?? listed.path.stream)", default: 0] += viewers
    }
    return counts
  }
}
