import RTP
import WebRTC

/// What a worker holds of one track on its way to one subscriber. Trivial.
struct SubscriptionSlot {
  let id: SubscriptionID
  let track: Int
  let transport: Int
  var nextInTrack: Int32 = -1
  var nextInTransport: Int32 = -1

  let ssrc: SSRC
  /// 0 where there is none.
  let rtxSSRC: SSRC
  /// By index of the track's codec; `TrackSlot.noPayloadType` where this receiver has none for it.
  var payloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  var rtxPayloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  let answersNACK: Bool
  let header: HeaderTemplate
  /// The stream goes on under its SSRC, with this track or another: its end is not told.
  let continues: Bool

  /// Added to the track's timestamps.
  var timestampOffset: UInt32 = 0
  /// Where the timestamps go on; nil once the first packet has been sent, and where there was none before.
  var resumed: RetiredStream.End?

  var map: SequenceMap
  /// The next index of the RTX stream.
  var rtxNext: Int64
  var throttle = ResendThrottle()
  /// Whether the gate is shut because packets could not be sent.
  var isLagging = false

  var packets: UInt64 = 0
  /// Payload bytes, as sender reports count them.
  var bytes: UInt64 = 0
  var nacks: UInt64 = 0
  var retransmitted: UInt64 = 0
  var keyFrameRequests: UInt64 = 0
  var rate = RateMeter()

  /// Of our last sender report, to know the round trip by.
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

  /// The track begins to be sent, with the packet of this number: timestamps that stopped go on.
  mutating func resume(on track: borrowing TrackSlot, at sequence: Int64) {
    guard let end = resumed, let first = track.ring[sequence]?.pointee.timestamp else { return }
    timestampOffset = end.offset(to: first, now: track.lastArrival, clockRate: track.clockRate)
    resumed = nil
  }

  /// What is kept of the stream when the subscription ends.
  func retired(on track: borrowing TrackSlot) -> RetiredStream {
    let sent = RetiredStream.End(timestamp: track.lastTimestamp &+ timestampOffset, at: track.lastArrival)
    return RetiredStream(
      next: map.next(after: track.highest), end: resumed ?? (packets > 0 ? sent : nil), packets: packets, bytes: bytes)
  }
}
