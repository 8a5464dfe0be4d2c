import RTP
import WebRTC

/// What a worker holds of one published track. Trivial: what it points to is owned by the worker's books.
struct TrackSlot {
  static let maximumCodecs = 16
  static let noPayloadType: UInt8 = 0xFF
  /// In `transport`, of a track that comes from this process.
  static let noTransport = -1

  let id: MediaTrackID
  let room: Int
  let transport: Int
  let isVideo: Bool
  var nextInTransport: Int32 = -1
  var firstSubscription: Int32 = -1
  var subscriptionCount = 0
  var taps = TapList()
  /// Where the packets come from, if they come by no transport.
  var injected: TapRing?
  var isMuted = false

  /// 0 until signalled or learned.
  var ssrc: SSRC = 0
  var rtxSSRC: SSRC = 0
  /// By index of the codec; `noPayloadType` where there is none.
  var payloadTypes = SIMD16<UInt8>(repeating: Self.noPayloadType)
  var rtxPayloadTypes = SIMD16<UInt8>(repeating: Self.noPayloadType)
  var formats = SIMD16<UInt8>(repeating: 0)
  /// Index of the codec of the last packet.
  var codec: UInt8 = 0
  var clockRate: UInt32 = 90_000
  var wantsNACK = false
  var wantsPLI = false
  var wantsFIR = false
  var firSequence: UInt8 = 0

  /// The highest extended sequence number; 0 before the first packet.
  var highest: Int64 = 0
  /// Added to the publisher's timestamps, so that they go on when it starts anew.
  var timestampOffset: UInt32 = 0
  var lastTimestamp: UInt32 = 0
  var lastArrival = Instant(microseconds: 0)
  /// The SSRC changed: the next packet begins the stream anew.
  var isNewSource = false
  var lastKeyFrame: UInt32 = 0
  let ring: PacketRing
  let reception: Unmanaged<ReceptionBook>
  var keyFrames = KeyFrameRequests()
  var clock = SenderClock()

  /// The packets that are still to be forwarded, as a list through the worker's table.
  var firstPending: Int32 = -1
  var lastPending: Int32 = -1
  var pendingCount: Int32 = 0
  /// Whether more of the last one's frame is to come.
  var awaitsFrameEnd = false
  /// When the first of them came.
  var pendingSince = Instant(microseconds: 0)

  /// Least −dBov since the last tick; 127 is silence.
  var loudest: UInt8 = 127
  var lastLevel: UInt8 = 127

  var packets: UInt64 = 0
  var bytes: UInt64 = 0
  var frames: UInt64 = 0
  var keyFrameCount: UInt64 = 0
  /// Of the last receiver report, in 1/256.
  var fractionLost: UInt8 = 0
  var nacksSent: UInt64 = 0
  var keyFrameRequestsSent: UInt64 = 0
  var rate = RateMeter()

  /// Whether the payload type is of the repair stream; nil where it is neither's.
  func carries(_ payloadType: UInt8) -> Bool? {
    if Self.index(of: payloadType, in: payloadTypes) >= 0 { return false }
    return Self.index(of: payloadType, in: rtxPayloadTypes) >= 0 ? true : nil
  }

  /// How far back a frame's first packet is looked for.
  private static let longestFrame: Int64 = 64

  /// The number of the first packet of the frame that `sequence` is of: what lies between it and the last packet of the frame
  /// before is its own, come or not. Parameter sets go ahead of an IDR picture, and may come after it.
  func frameStart(of sequence: Int64) -> Int64 {
    guard let timestamp = ring[sequence]?.pointee.timestamp else { return sequence }
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

  @inline(__always) static func index(of payloadType: UInt8, in types: SIMD16<UInt8>) -> Int {
    for index in 0..<maximumCodecs where types[index] == payloadType { return index }
    return -1
  }
}
