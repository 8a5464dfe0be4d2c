import Relay

/// What broadcasts did, added up.
struct BroadcastTotals: Sendable {
  var bytes: UInt64 = 0
  var droppedFrames: UInt64 = 0
  var connections = 0
  var takeovers: UInt64 = 0
  /// Lost and refused connections, by cause.
  var failures: [String: Int] = [:]
  /// Those at work.
  var live: [PushState: Int] = [:]
  /// Milliseconds that wait in the fullest queue.
  var queued = 0
  var recordings = RecordingCounters()

  mutating func add(_ status: LiveBroadcast.Status) {
    bytes &+= status.bytes
    droppedFrames &+= status.dropped
    connections &+= status.connections
    takeovers &+= status.takeovers
  }
}
