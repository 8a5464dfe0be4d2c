import RTP

/// Carries a track of one room into another, which may be at another worker: what is tapped there is injected here, packet by packet,
/// numbers and times as they are. Nothing is decoded.
///
/// Its owner calls ``pump(requestKeyFrame:)`` every few milliseconds. Between two machines the same records would go over a wire.
/// One owner at a time.
public final class TrackLink {
  private let tap: TrackTap
  private let injection: TrackInjection
  private var requests = 0
  /// The track is gone; nothing follows.
  public private(set) var isOver = false
  /// Packets carried so far.
  public private(set) var packets: UInt64 = 0

  /// From `tap` into `injection`; both are this link's alone.
  public init(from tap: TrackTap, into injection: TrackInjection) {
    self.tap = tap
    self.injection = injection
  }

  /// Carries what has come.
  /// - Parameter requestKeyFrame: somebody there needs one of the publisher here.
  public func pump(requestKeyFrame: () -> Void) {
    var hasCarried = false
    var isMore = true
    while isMore {
      isMore = tap.read { record, payload in
        switch record {
        case .packet(let sequence, let timestamp, let marker, let format, _, let level):
          injection.carry(
            payload, sequence: sequence, timestamp: timestamp, marker: marker, format: format, level: level)
          packets &+= 1
          hasCarried = true
        case .report(let ntp, let timestamp, _):
          injection.report(ntp, timestamp: timestamp)
          hasCarried = true
        // Told by signalling.
        case .muted: break
        case .ended: isOver = true
        }
      }
    }
    if hasCarried { injection.commit() }
    let wanted = injection.keyFrameRequests
    if wanted != requests {
      requests = wanted
      requestKeyFrame()
    }
  }
}
