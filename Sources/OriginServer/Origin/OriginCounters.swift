import Synchronization

/// A protocol for watching a stream.
package enum ViewingProtocol: String, Sendable, CaseIterable {
  case rtmp, flv, hls, srt
}

/// The origin's counters since its start.
package final class OriginCounters: Sendable {
  private let received = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let sentRTMP = Atomic<Int>(0)
  private let sentFLV = Atomic<Int>(0)
  private let sentHLS = Atomic<Int>(0)
  private let sentSRT = Atomic<Int>(0)
  private let rtmpOpened = Atomic<Int>(0)
  private let rtmpOpen = Atomic<Int>(0)
  private let rtmpTimedOut = Atomic<Int>(0)
  private let rtmpMalformed = Atomic<Int>(0)
  private let srtOpen = Atomic<Int>(0)
  private let srtOpenedTotal = Atomic<Int>(0)
  private let srtMalformed = Atomic<Int>(0)
  private let srtLost = Atomic<Int>(0)
  private let refused = Mutex<[OriginRefusal.Reason: Int]>([:])

  /// Bytes of media that publishers sent.
  var bytesReceived: Int { received.load(ordering: .relaxed) }
  /// Video frames that late viewers lost, and all frames that even later viewers lost.
  var droppedFrames: Int { dropped.load(ordering: .relaxed) }
  /// RTMP connections that are open, and the total since the start.
  var connections: Int { rtmpOpen.load(ordering: .relaxed) }
  var connectionsOpened: Int { rtmpOpened.load(ordering: .relaxed) }
  /// RTMP connections ended because of silence, and because of invalid data.
  var connectionsTimedOut: Int { rtmpTimedOut.load(ordering: .relaxed) }
  var connectionsMalformed: Int { rtmpMalformed.load(ordering: .relaxed) }
  /// SRT connections that are open, the total since the start, those ended because of their data, and the frames that ended
  /// connections lost.
  var srt: (open: Int, opened: Int, malformed: Int, lost: Int) {
    (
      srtOpen.load(ordering: .relaxed), srtOpenedTotal.load(ordering: .relaxed), srtMalformed.load(ordering: .relaxed),
      srtLost.load(ordering: .relaxed)
    )
  }
  var refusals: [OriginRefusal.Reason: Int] { refused.withLock { $0 } }
  /// Returns the bytes sent to viewers.
  func bytesSent(_ viewingProtocol: ViewingProtocol) -> Int {
    switch viewingProtocol {
    case .rtmp: sentRTMP.load(ordering: .relaxed)
    case .flv: sentFLV.load(ordering: .relaxed)
    case .hls: sentHLS.load(ordering: .relaxed)
    case .srt: sentSRT.load(ordering: .relaxed)
    }
  }

  func countReceived(_ bytes: Int) { received.wrappingAdd(bytes, ordering: .relaxed) }
  func countSent(_ bytes: Int, over viewingProtocol: ViewingProtocol) {
    switch viewingProtocol {
    case .rtmp: sentRTMP.wrappingAdd(bytes, ordering: .relaxed)
    case .flv: sentFLV.wrappingAdd(bytes, ordering: .relaxed)
    case .hls: sentHLS.wrappingAdd(bytes, ordering: .relaxed)
    case .srt: sentSRT.wrappingAdd(bytes, ordering: .relaxed)
    }
  }
  func countDropped(_ frames: Int) { dropped.wrappingAdd(frames, ordering: .relaxed) }
  package func count(_ reason: OriginRefusal.Reason) { refused.withLock { $0[reason, default: 0] &+= 1 } }
  func countTimeout() { rtmpTimedOut.wrappingAdd(1, ordering: .relaxed) }
  func countMalformed() { rtmpMalformed.wrappingAdd(1, ordering: .relaxed) }

  /// Counts a new RTMP connection. Returns false, without counting it, if it would exceed `limit`.
  func open(limit: Int) -> Bool {
    guard rtmpOpen.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
      closed()
      return false
    }
    rtmpOpened.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  func openedSRT() {
    srtOpen.wrappingAdd(1, ordering: .relaxed)
    srtOpenedTotal.wrappingAdd(1, ordering: .relaxed)
  }

  func closedSRT(lostFrames: Int) {
    srtOpen.wrappingSubtract(1, ordering: .relaxed)
    srtLost.wrappingAdd(lostFrames, ordering: .relaxed)
  }

  func countMalformedSRT() { srtMalformed.wrappingAdd(1, ordering: .relaxed) }

  func closed() { rtmpOpen.wrappingSubtract(1, ordering: .relaxed) }
}
