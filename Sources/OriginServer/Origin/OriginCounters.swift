import Synchronization

/// How a stream is watched.
package enum ViewingProtocol: String, Sendable, CaseIterable {
  case rtmp, flv, hls
}

/// What the origin counts since its start.
package final class OriginCounters: Sendable {
  private let received = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let sentRTMP = Atomic<Int>(0)
  private let sentFLV = Atomic<Int>(0)
  private let sentHLS = Atomic<Int>(0)
  private let rtmpOpened = Atomic<Int>(0)
  private let rtmpOpen = Atomic<Int>(0)
  private let rtmpTimedOut = Atomic<Int>(0)
  private let rtmpMalformed = Atomic<Int>(0)
  private let refused = Mutex<[OriginRefusal.Reason: Int]>([:])

  /// Bytes of media that publishers sent.
  var bytesReceived: Int { received.load(ordering: .relaxed) }
  /// Video frames that viewers lost by being late, and all else that those lost who were later still.
  var droppedFrames: Int { dropped.load(ordering: .relaxed) }
  /// RTMP connections that are open, and ever were.
  var connections: Int { rtmpOpen.load(ordering: .relaxed) }
  var connectionsOpened: Int { rtmpOpened.load(ordering: .relaxed) }
  /// RTMP connections ended for silence, and for what they sent.
  var connectionsTimedOut: Int { rtmpTimedOut.load(ordering: .relaxed) }
  var connectionsMalformed: Int { rtmpMalformed.load(ordering: .relaxed) }
  var refusals: [OriginRefusal.Reason: Int] { refused.withLock { $0 } }
  /// Bytes sent to viewers.
  func bytesSent(_ way: ViewingProtocol) -> Int {
    switch way {
    case .rtmp: sentRTMP.load(ordering: .relaxed)
    case .flv: sentFLV.load(ordering: .relaxed)
    case .hls: sentHLS.load(ordering: .relaxed)
    }
  }

  func countReceived(_ bytes: Int) { received.wrappingAdd(bytes, ordering: .relaxed) }
  func countSent(_ bytes: Int, over way: ViewingProtocol) {
    switch way {
    case .rtmp: sentRTMP.wrappingAdd(bytes, ordering: .relaxed)
    case .flv: sentFLV.wrappingAdd(bytes, ordering: .relaxed)
    case .hls: sentHLS.wrappingAdd(bytes, ordering: .relaxed)
    }
  }
  func countDropped(_ frames: Int) { dropped.wrappingAdd(frames, ordering: .relaxed) }
  package func count(_ reason: OriginRefusal.Reason) { refused.withLock { $0[reason, default: 0] &+= 1 } }
  func countTimeout() { rtmpTimedOut.wrappingAdd(1, ordering: .relaxed) }
  func countMalformed() { rtmpMalformed.wrappingAdd(1, ordering: .relaxed) }

  /// One more RTMP connection; false where that is more than `limit`, and it was not counted.
  func open(limit: Int) -> Bool {
    guard rtmpOpen.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
      closed()
      return false
    }
    rtmpOpened.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  func closed() { rtmpOpen.wrappingSubtract(1, ordering: .relaxed) }
}
