import RoomRTP

/// Copies a track of one room into another room, possibly on another worker. It taps the packets there and injects them here,
/// with the same numbers and times. Nothing is decoded.
///
/// The owner calls ``pump(requestKeyFrame:)`` every few milliseconds. Between two machines, the same records would cross a
/// network. Not thread-safe: one owner at a time.
public final class TrackLink {
  private let tap: TrackTap
  private let injection: TrackInjection
  private var requests = 0
  /// Whether the source track has ended. No more packets follow.
  public private(set) var isOver = false
  /// Packets copied so far.
  public private(set) var packets: UInt64 = 0

  /// Creates a link from `tap` into `injection`. The link is the only user of both.
  public init(from tap: TrackTap, into injection: TrackInjection) {
    self.tap = tap
    self.injection = injection
  }

  /// Copies the packets that have arrived.
  /// - Parameter requestKeyFrame: Called if a receiver of the copy needs a key frame from the source's publisher.
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
        // Signalling reports it.
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
