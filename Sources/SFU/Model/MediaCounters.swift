/// What the workers counted since their start, and what they hold now.
public struct MediaCounters: Sendable, Hashable {
  /// In the order of the workers' ports.
  public var workers: [WorkerCounters]

  /// The counters of these workers.
  public init(workers: [WorkerCounters] = []) { self.workers = workers }

  /// All workers together.
  public var total: WorkerCounters {
    workers.reduce(into: WorkerCounters()) { $0.add($1) }
  }
}

/// The counters of one worker. All but the gauges only grow.
public struct WorkerCounters: Sendable, Hashable {
  // Gauges.
  /// Open rooms.
  public var rooms = 0
  /// Transports, connected or not.
  public var transports = 0
  /// Transports over which media can flow.
  public var connectedTransports = 0
  /// Published tracks.
  public var tracks = 0
  /// Subscriptions to tracks.
  public var subscriptions = 0
  /// Bytes of packet rings that live tracks hold.
  public var ringBytes = 0

  /// TCP connections of clients, and of whoever has proven nothing yet.
  public var tcpConnections = 0

  /// Processor time of the worker's thread, microseconds.
  public var cpuMicroseconds: Int64 = 0
  /// Datagrams and frames of TCP connections received, of any kind.
  public var packetsReceived: UInt64 = 0
  /// Bytes of them, without IP, UDP and TCP headers.
  public var bytesReceived: UInt64 = 0
  /// Datagrams that the kernel took, and frames that were queued for TCP connections, of any kind.
  public var packetsSent: UInt64 = 0
  /// Bytes of them, without IP, UDP and TCP headers.
  public var bytesSent: UInt64 = 0
  /// Messages of several packets that the kernel took and cut (UDP GSO).
  public var segmentedMessages: UInt64 = 0
  /// Packets that left in them, of `packetsSent`.
  public var segmentedPackets: UInt64 = 0
  /// Messages of several packets that the kernel refused; their packets were sent one by one.
  public var segmentationRefused: UInt64 = 0
  /// RTP packets that were authentic.
  public var rtpReceived: UInt64 = 0
  /// RTP packets of tracks that come from this process.
  public var injected: UInt64 = 0
  /// RTCP compounds that were authentic.
  public var rtcpReceived: UInt64 = 0
  /// RTP packets sealed for subscribers, without resends.
  public var rtpForwarded: UInt64 = 0
  /// NACK packets of subscribers.
  public var nacksReceived: UInt64 = 0
  /// Sequence numbers asked for by subscribers.
  public var nackedPackets: UInt64 = 0
  /// Packets sent again.
  public var retransmitted: UInt64 = 0
  /// NACK packets to publishers.
  public var nacksSent: UInt64 = 0
  /// PLI and FIR of subscribers.
  public var keyFrameRequestsReceived: UInt64 = 0
  /// PLI and FIR to publishers.
  public var keyFrameRequestsSent: UInt64 = 0
  /// Transport-wide feedback packets of subscribers.
  public var transportFeedbackReceived: UInt64 = 0
  /// Transport-wide feedback packets to publishers.
  public var transportFeedbackSent: UInt64 = 0
  /// TCP connections taken.
  public var tcpAccepted: UInt64 = 0
  /// TCP connections closed at once, or for a newer one, because of a bound.
  public var tcpRefused: UInt64 = 0
  /// TCP connections closed because no valid check came in time.
  public var tcpSilent: UInt64 = 0
  /// TCP connections closed for a frame that is too long, or for something else than a check at first.
  public var tcpMalformed: UInt64 = 0
  /// Bytes read from TCP connections, with the two that frame each packet.
  public var tcpBytesReceived: UInt64 = 0
  /// Bytes written to TCP connections, with the two that frame each packet.
  public var tcpBytesSent: UInt64 = 0

  /// By `MediaDrop`, in the order of its cases.
  public var drops = [UInt64](repeating: 0, count: MediaDrop.allCases.count)

  /// All zero.
  public init() {}

  /// How much was dropped for this reason.
  public subscript(reason: MediaDrop) -> UInt64 { drops[Int(reason.rawValue)] }

  mutating func add(_ other: WorkerCounters) {
    rooms += other.rooms
    transports += other.transports
    connectedTransports += other.connectedTransports
    tracks += other.tracks
    subscriptions += other.subscriptions
    ringBytes += other.ringBytes
    cpuMicroseconds &+= other.cpuMicroseconds
    packetsReceived &+= other.packetsReceived
    bytesReceived &+= other.bytesReceived
    packetsSent &+= other.packetsSent
    bytesSent &+= other.bytesSent
    segmentedMessages &+= other.segmentedMessages
    segmentedPackets &+= other.segmentedPackets
    segmentationRefused &+= other.segmentationRefused
    rtpReceived &+= other.rtpReceived
    injected &+= other.injected
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
    tcpConnections += other.tcpConnections
    tcpAccepted &+= other.tcpAccepted
    tcpRefused &+= other.tcpRefused
    tcpSilent &+= other.tcpSilent
    tcpMalformed &+= other.tcpMalformed
    tcpBytesReceived &+= other.tcpBytesReceived
    tcpBytesSent &+= other.tcpBytesSent
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
  /// Not an RTP packet whose lengths agree (RFC 3550 §5.1).
  case malformedRTP
  /// Not an RTCP compound, or a packet in it whose inside does not agree with its length.
  case malformedRTCP
  /// No published track has this SSRC, mid or rid.
  case unknownSSRC
  /// A payload type that the track, or its receiver, does not have.
  case unknownPayloadType
  /// More SSRCs than a transport may have.
  case ssrcLimit
  /// The same sequence number again.
  case duplicate
  /// RTX without room for the original sequence number, or for a packet that is too old.
  case uselessRetransmission
  /// A packet of a muted track.
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
  /// More waits for the subscriber's TCP connection than may.
  case tcpQueueFull
}
