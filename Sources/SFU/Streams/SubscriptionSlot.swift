import RoomRTP
import RoomWebRTC

/// A worker's state of one subscription. Trivial.
struct SubscriptionSlot {
  let id: SubscriptionID
  let track: Int
  let transport: Int
  var nextInTrack: Int32 = -1
  var nextInTransport: Int32 = -1

  let ssrc: SSRC
  /// 0 if there is none.
  let rtxSSRC: SSRC
  /// By index of the track's codec; `TrackSlot.noPayloadType` if this receiver has none for it.
  var payloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  var rtxPayloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  let answersNACK: Bool
  let header: HeaderTemplate
  /// Whether the stream continues under its SSRC, with this track or another, so that no BYE is sent.
  let continues: Bool

  /// Added to the track's timestamps.
  var timestampOffset: UInt32 = 0
  /// The timestamps to continue from; nil once the first packet has been sent, or if there was no earlier stream.
  var resumed: RetiredStream.End?

  var map: SequenceMap
  /// The next index of the RTX stream.
  var rtxNext: Int64
  var throttle = ResendThrottle()
  /// Whether the gate is closed because packets could not be sent.
  var isLagging = false

  var packets: UInt64 = 0
  /// Payload bytes, as counted by sender reports.
  var bytes: UInt64 = 0
  var nacks: UInt64 = 0
  var retransmitted: UInt64 = 0
  var keyFrameRequests: UInt64 = 0
  var rate = RateMeter()

  /// The time in our last sender report, for measuring the round trip.
  var reportNTP: UInt32 = 0
  var reportAt = Instant(microseconds: 0)
  var lost: Int64 = 0
  var fractionLost: UInt8 = 0
  var jitter: UInt32 = 0
  var firSequence: Int16 = -1

  @inline(__always) func canSend(_ codec: UInt8) -> Bool { payloadTypes[Int(codec)] != TrackSlot.noPayloadType }

  @inline(__always) mutating func sent(_ length: Int) {
    packets &+= 1
    bytes &+= UInt64(length)
    rate.add(bytes: length)
  }

  /// Starts sending the track with the packet of this number. Continues the earlier stream's timestamps.
  mutating func resume(on track: borrowing TrackSlot, at sequence: Int64) {
    guard let end = resumed, let first = track.ring[sequence]?.pointee.timestamp else { return }
    timestampOffset = end.offset(to: first, now: track.lastArrival, clockRate: track.clockRate)
    resumed = nil
  }

  /// Returns what to keep of the stream when the subscription ends.
  func retired(on track: borrowing TrackSlot) -> RetiredStream {
    let sent = RetiredStream.End(timestamp: track.lastTimestamp &+ timestampOffset, at: track.lastArrival)
    return RetiredStream(
      next: map.next(after: track.highest), end: resumed ?? (packets > 0 ? sent : nil), packets: packets, bytes: bytes)
  }
}
