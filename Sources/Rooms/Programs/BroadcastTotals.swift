import RoomPush
import RoomRelay

/// Totals over broadcasts.
package struct BroadcastTotals: Sendable {
  package var bytes: UInt64 = 0
  package var droppedFrames: UInt64 = 0
  package var connections = 0
  package var takeovers: UInt64 = 0
  /// Lost and refused connections, by cause.
  package var failures: [String: Int] = [:]
  /// Number of running broadcasts by state.
  package var live: [PushState: Int] = [:]
  /// Milliseconds of media in the fullest queue.
  package var queued = 0
  /// The AAC streams of running broadcasts, and the encoders that they share.
  package var encodedStreams = 0
  package var encoders = 0
  package var recordings = RecordingCounters()

  package mutating func add(_ status: LiveBroadcast.Status) {
    bytes &+= status.bytes
    droppedFrames &+= status.dropped
    connections &+= status.connections
    takeovers &+= status.takeovers
  }
}
