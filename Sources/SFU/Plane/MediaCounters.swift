/// What the workers counted since their start, and what they hold now.
public struct MediaCounters: Sendable, Hashable {
  public var workers: [WorkerCounters]

  public init(workers: [WorkerCounters] = []) { self.workers = workers }

  /// All workers together.
  public var total: WorkerCounters {
    workers.reduce(into: WorkerCounters()) { $0.add($1) }
  }
}

/// The counters of one worker. All but the gauges only grow.
public struct WorkerCounters: Sendable, Hashable {
  // Gauges.
  public var rooms = 0
  public var transports = 0
  public var connectedTransports = 0
  public var tracks = 0
  public var subscriptions = 0
  /// Bytes of packet rings that live tracks hold.
  public var ringBytes = 0

  public var packetsReceived: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var packetsSent: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var rtpReceived: UInt64 = 0
  public var rtcpReceived: UInt64 = 0
  public var rtpForwarded: UInt64 = 0
  public var nacksReceived: UInt64 = 0
  /// Sequence numbers asked for by subscribers.
  public var nackedPackets: UInt64 = 0
  public var retransmitted: UInt64 = 0
  public var nacksSent: UInt64 = 0
  public var keyFrameRequestsReceived: UInt64 = 0
  public var keyFrameRequestsSent: UInt64 = 0
  public var transportFeedbackReceived: UInt64 = 0
  public var transportFeedbackSent: UInt64 = 0

  /// By `MediaDrop`, in the order of its cases.
  public var drops = [UInt64](repeating: 0, count: MediaDrop.allCases.count)

  public init() {}

  public subscript(reason: MediaDrop) -> UInt64 { drops[Int(reason.rawValue)] }

  mutating func add(_ other: WorkerCounters) {
    rooms += other.rooms
    transports += other.transports
    connectedTransports += other.connectedTransports
    tracks += other.tracks
    subscriptions += other.subscriptions
    ringBytes += other.ringBytes
    packetsReceived &+= other.packetsReceived
    bytesReceived &+= other.bytesReceived
    packetsSent &+= other.packetsSent
    bytesSent &+= other.bytesSent
    rtpReceived &+= other.rtpReceived
    rtcpReceived &+= other.rtcpReceived
    rtpForwarded &+= other.rtpForwarded
    nacksReceived &+= other.nacksReceived
    nackedPackets &+= other.nackedPackets
    retransmitted &+= other.retransmitted
    nacksSent &+= other.nacksSent
    keyFrameRequestsReceived &+= other.keyFrameRequestsReceived
    keyFrameRequestsSent &+= other.keyFrameRequestsSent
    transportFeedbackReceived &+= other.transportFeedbackReceived
    transportFeedbackSent &+= other.transportFeedbackSent
    for index in drops.indices { drops[index] &+= other.drops[index] }
  }
}

/// Why a packet went no further.
public enum MediaDrop: UInt8, Sendable, Hashable, CaseIterable {
  /// Neither STUN, DTLS nor SRTP by its first byte (RFC 7983).
  case unknownKind
  /// Longer than a slot of the receive slab.
  case oversized
  /// From an address that no transport has validated.
  case unknownAddress
  /// STUN for a user name that no transport has.
  case unknownUser
  /// The peer refused it: STUN integrity, DTLS out of place, before keys.
  case peer
  /// SRTP authentication failed.
  case authentication
  /// SRTP index seen before, or too old.
  case replay
  case malformedRTP
  case malformedRTCP
  /// No published track has this SSRC, mid or rid.
  case unknownSSRC
  case unknownPayloadType
  /// More SSRCs than a transport may have.
  case ssrcLimit
  /// The same sequence number again.
  case duplicate
  /// RTX without room for the original sequence number, or for a packet that is too old.
  case uselessRetransmission
  case muted
  /// A video packet before the subscription's first key frame.
  case awaitingKeyFrame
  /// A video packet of a frame that a lagging subscriber lost.
  case lagging
  /// The socket's send buffer was full.
  case sendBufferFull
  /// Another failure of the socket.
  case sendFailed
  /// A packet that is no longer kept: a resend asked for too late.
  case historyMiss
  /// A resend asked for again too soon.
  case nackThrottled
  /// The subscription's transport is not connected.
  case notConnected
}
