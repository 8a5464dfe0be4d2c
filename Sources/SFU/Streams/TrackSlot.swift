import RoomRTP
import RoomWebRTC

/// A worker's state of one published track, or of one layer of a simulcast. Trivial: the worker's books own what it points to.
struct TrackSlot {
  static let maximumCodecs = 16
  static let noPayloadType: UInt8 = 0xFF
  static let maximumLayers = 3
  /// The value of `transport` for a track that comes from this process.
  static let noTransport = -1

  var id: MediaTrackID
  var room: Int
  let transport: Int
  let isVideo: Bool
  var nextInTransport: Int32 = -1
  var firstSubscription: Int32 = -1
  var subscriptionCount = 0
  /// For a simulcast, only the best live layer has them.
  var taps = TapList()
  /// The source of the packets if they arrive over no transport.
  var injected: TapRing?
  /// Whether those packets are of a track at another worker, in this room or in another one.
  var isLinked = false
  /// Whether this worker reports the track's events to the room: false if another worker of the room does.
  var isReported = true
  /// Whether the link's packets are those before its beginning: they are stored, but not forwarded.
  var takesPast = false
  /// The rings of the links that lead to other workers, and these workers' bits.
  var links = TapList()
  var linkedWorkers: UInt64 = 0
  var isMuted = false

  /// Whether the track is a simulcast. Each layer is a slot; the fields up to `tapTimestampOffset` are for layers alone.
  var isLayered = false
  /// The position in the publisher's offer: 0 … 2.
  var layer: UInt8 = 0
  /// The order by quality: 0 for the smallest.
  var rank: UInt8 = 0
  /// The slot of layer 0, which represents the track.
  var firstLayer: Int32 = -1
  /// The slot of the next layer in the order of the offer; −1 ends the list.
  var nextLayer: Int32 = -1
  /// Head of the list of subscriptions that move to this layer at its next key frame.
  var firstSwitching: Int32 = -1
  /// The number of the key frame packet that those subscriptions are sent from, and when it arrived; 0 before it.
  var switchStart: Int64 = 0
  var switchSince = Instant(microseconds: 0)
  /// The size of the last key frame in pixels; 0 while unknown.
  var width: UInt16 = 0
  var height: UInt16 = 0
  /// What was reported of the pictures' shape.
  var shape = PictureShape.unknown
  /// When packets began to arrive after the layer was not live.
  var liveSince = Instant(microseconds: 0)
  /// VP8's picture id and TL0PICIDX in the newest packet; with dependency descriptors the frame number.
  var lastPicture: UInt16 = 0
  var lastLevel0: UInt8 = 0
  /// Whether the taps move to this layer at its next key frame.
  var awaitsTaps = false
  /// Added to the numbers and timestamps that taps get, so that they continue from the layer before.
  var tapSequenceOffset: Int64 = 0
  var tapTimestampOffset: UInt32 = 0
  /// The first number that taps get of this layer.
  var tapFrom: Int64 = 0

  /// 0 until signalled or learned.
  var ssrc: SSRC = 0
  var rtxSSRC: SSRC = 0
  /// By index of the codec; `noPayloadType` if there is none.
  var payloadTypes = SIMD16<UInt8>(repeating: Self.noPayloadType)
  var rtxPayloadTypes = SIMD16<UInt8>(repeating: Self.noPayloadType)
  var formats = SIMD16<UInt8>(repeating: 0)
  /// The payload type of RED, and the index of the codec in it; `noPayloadType` if the publisher has none.
  var redPayloadType: UInt8 = Self.noPayloadType
  var redCodec: UInt8 = 0
  /// The number of subscriptions that currently get copies of earlier packets. Without any, the ring has none.
  var redundantSubscriptions: Int32 = 0
  /// The first number that may be restored from a copy: after the stream began, restarted, or was muted.
  var restorableFrom: Int64 = 0
  /// Index of the codec of the last packet.
  var codec: UInt8 = 0
  var clockRate: UInt32 = 90_000
  var wantsNACK = false
  var wantsPLI = false
  var wantsFIR = false
  var firSequence: UInt8 = 0

  /// The highest extended sequence number; 0 before the first packet.
  var highest: Int64 = 0
  /// Added to the publisher's timestamps, so that they continue when it restarts.
  var timestampOffset: UInt32 = 0
  /// The same for the frame numbers of dependency descriptors.
  var frameOffset: UInt16 = 0
  var lastTimestamp: UInt32 = 0
  var lastArrival = Instant(microseconds: 0)
  /// Whether the SSRC changed, so that the next packet restarts the stream.
  var isNewSource = false
  var lastKeyFrame: UInt32 = 0
  /// The number of the newest packet that starts a key frame, and when it arrived; 0 before the first.
  var keyFrameSequence: Int64 = 0
  var keyFrameAt = Instant(microseconds: 0)
  let ring: PacketRing
  let reception: Unmanaged<ReceptionState>
  var keyFrames = KeyFrameRequests()
  var clock = SenderClock()

  /// Of VP8 with temporal layers.
  var temporal = TemporalLayers()

  /// The packets that are still to be forwarded, as a linked list in the worker's table.
  var firstPending: Int32 = -1
  var lastPending: Int32 = -1
  var pendingCount: Int32 = 0
  /// Whether the last pending packet's frame is incomplete.
  var awaitsFrameEnd = false
  /// The arrival time of the first pending packet.
  var pendingSince = Instant(microseconds: 0)

  /// The lowest −dBov since the last tick; 127 is silence.
  var loudest: UInt8 = 127
  var lastLevel: UInt8 = 127

  var packets: UInt64 = 0
  var bytes: UInt64 = 0
  var frames: UInt64 = 0
  var keyFrameCount: UInt64 = 0
  /// From the last receiver report, in 1/256.
  var fractionLost: UInt8 = 0
  var nacksSent: UInt64 = 0
  var keyFrameRequestsSent: UInt64 = 0
  var rate = RateMeter()

  /// Returns whether the payload type belongs to the repair stream; nil if it belongs to neither stream.
  func carries(_ payloadType: UInt8) -> Bool? {
    if Self.index(of: payloadType, in: payloadTypes) >= 0 || payloadType == redPayloadType { return false }
    return Self.index(of: payloadType, in: rtxPayloadTypes) >= 0 ? true : nil
  }

  /// The maximum distance, in packets, to a frame's first packet.
  private static let longestFrame: Int64 = 64

  /// Returns the number of the first packet of the key frame that `sequence` starts. All numbers after the previous frame's last
  /// packet belong to the frame, received or not. Parameter sets precede an IDR picture, but may arrive after it.
  func frameStart(of sequence: Int64) -> Int64 {
    guard let packet = ring[sequence]?.pointee else { return sequence }
    // In VP8 nothing precedes it. What is missing is of the frame before.
    if packet.flags.contains(.keyFrame), formats[Int(packet.codec)] == VideoFormat.vp8 { return sequence }
    let timestamp = packet.timestamp
    var start = sequence
    var current = sequence - 1
    let limit = max(1, sequence - Self.longestFrame)
    while current >= limit {
      if let packet = ring[current] {
        if packet.pointee.timestamp != timestamp { return current + 1 }
        start = current
      }
      current -= 1
    }
    return start
  }

  /// Returns the number at which a decoder can start, with no packet missing since; nil if there is no recent key frame.
  /// - Parameter age: the age in microseconds of the oldest useful key frame. Older ones would be shown too late.
  func recentStart(now: Instant, within age: Int64 = 1_000_000) -> Int64? {
    guard isVideo, !isMuted, keyFrameSequence > 0, now - keyFrameAt <= age else { return nil }
    let start = frameStart(of: keyFrameSequence)
    guard highest - start < Self.longestStart, ring[keyFrameSequence]?.pointee.flags.contains(.keyFrame) == true else {
      return nil
    }
    for sequence in start...max(start, highest) where ring[sequence] == nil { return nil }
    return keyFrameSequence
  }

  /// The most packets since a key frame that a new subscriber starts from.
  private static let longestStart: Int64 = 200

  @inline(__always) static func index(of payloadType: UInt8, in types: SIMD16<UInt8>) -> Int {
    for index in 0..<maximumCodecs where types[index] == payloadType { return index }
    return -1
  }
}
