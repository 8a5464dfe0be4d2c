import RoomRTP
import RoomWebRTC

/// A worker's state of one subscription. Trivial.
struct SubscriptionSlot {
  let id: SubscriptionID
  /// The track, or the layer of a simulcast, in whose list the subscription is.
  var track: Int
  /// The layer whose packets were sent last. Differs from `track` until a key frame of `track` is sent.
  var source: Int
  /// The layer to move to at its next key frame; −1 for none.
  var wanted: Int32 = -1
  /// The next in that layer's `firstSwitching`.
  var nextSwitching: Int32 = -1
  let transport: Int
  var nextInTrack: Int32 = -1
  var nextInTransport: Int32 = -1

  let ssrc: SSRC
  /// 0 if there is none.
  let rtxSSRC: SSRC
  /// By index of the track's codec; `TrackSlot.noPayloadType` if this receiver has none for it.
  var payloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  var rtxPayloadTypes = SIMD16<UInt8>(repeating: TrackSlot.noPayloadType)
  /// The payload type of RED, and the index of the track's codec in it; `noPayloadType` if this receiver has none.
  var redPayloadType: UInt8 = TrackSlot.noPayloadType
  var redCodec: UInt8 = 0
  /// The number of earlier packets that each packet repeats.
  var redundancy: UInt8 = 0
  /// The copies with which the last packets were sent. A resend without RTX must be the same packet.
  var sentCopies = SentCopies()
  let answersNACK: Bool
  var header: HeaderTemplate
  /// Whether the stream continues under its SSRC, with this track or another, so that no BYE is sent.
  let continues: Bool

  var limits = Limits()
  var isPaused = false
  /// Whether the path does not carry the track at all.
  var isStarved = false
  var priority: UInt8 = 0
  /// The largest layer that the path carries, as an index in the table of tracks; nil for no limit.
  var ceiling: Int?
  /// The temporal layers that the path carries, and those that the subscription is to get: of these too, no more than it wants.
  /// What is sent follows at the next frame that allows it (`map.offsets.limit`).
  var pathLimit = TemporalLimit.all
  var limit = TemporalLimit.all
  /// Since when a rise of the limit waits for a frame that allows it.
  var risesSince: Instant?
  /// The bitrate in bits per second that this subscriber can take of a track without layers; nil for any.
  var share: Int?
  /// Since when the track does not fit, and when its layer was last lowered by the path.
  var missingSince: Instant?
  var loweredAt: Instant?
  /// On a paced path: the next of the track's numbers to send. Packets from here on wait for their turn.
  var cursor = Int64.max
  /// When the gate opened last.
  var openedAt = Instant(microseconds: 0)
  /// The state that was reported to the control plane.
  var reported = Reported()
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

  /// The state that was reported last.
  struct Reported: BitwiseCopyable, Equatable {
    var isStarved = false
    var layer: UInt8 = 0
    var width: UInt16 = 0
    var height: UInt16 = 0
  }

  /// Whether the gate stays closed.
  @inline(__always) var isStopped: Bool { isPaused || isStarved }

  /// Records that the track does not fit now. Returns for how long it has not, in microseconds.
  mutating func missing(at now: Instant) -> Int64 {
    let since = missingSince ?? now
    missingSince = since
    return now - since
  }

  /// Stops before the first packet that was not sent yet. `track` is the slot of `track`.
  mutating func closeMap(on track: borrowing TrackSlot) {
    let limit = map.offsets.limit
    let end = min(cursor, track.highest &+ 1)
    if let leftOut = track.leftOut(before: end, limit) {
      map.close(before: end, leftOut: leftOut)
    } else {
      // The ring no longer has the first packet: numbers of some that were not sent stay unused.
      map.close(before: track.highest &+ 1, leftOut: leftOut(on: track))
    }
    cursor = .max
  }

  /// Returns the number after all that were assigned. `track` is the slot of `track`.
  func nextNumber(on track: borrowing TrackSlot) -> Int64 {
    map.next(after: track.highest, leftOut: leftOut(on: track))
  }

  /// Returns the packets of a track that the current limit leaves out up to its newest, modulo 2³².
  func leftOut(on track: borrowing TrackSlot) -> UInt32 {
    track.leftOut(before: track.highest &+ 1, map.offsets.limit) ?? 0
  }

  @inline(__always) func canSend(_ codec: UInt8) -> Bool { payloadTypes[Int(codec)] != TrackSlot.noPayloadType }

  @inline(__always) mutating func sent(_ length: Int) {
    packets &+= 1
    bytes &+= UInt64(length)
    rate.add(bytes: length)
  }

  /// Returns the offsets for sending `track` from the packet of this number on, whose frame begins with `start`. Continues the
  /// timestamps of the earlier stream, or timestamps and picture ids of the layer that was sent before.
  mutating func offsets(
    on track: borrowing TrackSlot, at sequence: Int64, from start: Int64, after source: borrowing TrackSlot
  ) -> StreamOffsets {
    var offsets = map.offsets
    let before = offsets.limit
    offsets.layer = track.layer
    offsets.limit = track.leftOut(before: start, limit) == nil ? .all : limit
    guard let first = track.ring[sequence]?.pointee else { return offsets }
    if let end = resumed {
      offsets.timestamp = end.offset(to: first.timestamp, now: track.lastArrival, clockRate: track.clockRate)
      if first.flags.contains(.hasDescriptor) { offsets.picture = end.frame &+ 1 &- first.picture }
      resumed = nil
    } else if packets > 0, source.layer != track.layer {
      let end = LayerSeam.End(
        timestamp: source.lastTimestamp &+ offsets.timestamp, at: source.lastArrival, clock: source.clock,
        offset: offsets.timestamp)
      offsets.timestamp = LayerSeam.offset(
        after: end, to: first.timestamp, clock: track.clock, now: track.lastArrival, clockRate: track.clockRate)
      offsets.picture = source.nextPicture(before) &+ offsets.picture &- first.picture(offsets.limit)
      offsets.level0 = source.lastLevel0 &+ offsets.level0 &+ 1 &- first.level0
    } else {
      offsets.picture = offsets.picture &+ first.picture(before) &- first.picture(offsets.limit)
    }
    return offsets
  }

  /// Returns what to keep of the stream when the subscription ends. `track` is the slot of `source`.
  func retired(on track: borrowing TrackSlot) -> RetiredStream {
    let sent = RetiredStream.End(
      timestamp: track.lastTimestamp &+ map.offsets.timestamp, at: track.lastArrival,
      frame: track.lastPicture &+ map.offsets.picture)
    return RetiredStream(
      next: nextNumber(on: track), end: resumed ?? (packets > 0 ? sent : nil), packets: packets, bytes: bytes)
  }
}
