import RoomRTP

/// The counters of a media session since its start.
public struct SessionStatistics: Sendable, Hashable {
  /// The smoothed round-trip time in microseconds; nil before the first measurement.
  public var roundTripTime: Int64?
  /// The bitrate that congestion control estimates for the path, in bits per second.
  public var targetBitrate: Int
  /// The share of lost packets according to congestion control, 0…1.
  public var loss: Double
  /// The sent streams by mid.
  public var senders: [Mid: SenderStatistics]
  /// The received streams by mid.
  public var receivers: [Mid: ReceiverStatistics]
  public var drops: DropCounters
  /// The address to which media is sent; nil before one is selected.
  public var remoteAddress: TransportAddress?

  public init(
    roundTripTime: Int64? = nil, targetBitrate: Int = 0, loss: Double = 0, senders: [Mid: SenderStatistics] = [:],
    receivers: [Mid: ReceiverStatistics] = [:], drops: DropCounters = DropCounters(),
    remoteAddress: TransportAddress? = nil
  ) {
    self.roundTripTime = roundTripTime
    self.targetBitrate = targetBitrate
    self.loss = loss
    self.senders = senders
    self.receivers = receivers
    self.drops = drops
    self.remoteAddress = remoteAddress
  }
}

/// The statistics of one sent stream.
public struct SenderStatistics: Sendable, Hashable {
  public var frames: UInt64 = 0
  /// Packets sent, without retransmissions.
  public var packets: UInt64 = 0
  /// Payload bytes sent, without retransmissions.
  public var bytes: UInt64 = 0
  /// Packets retransmitted.
  public var retransmitted: UInt64 = 0
  /// Audio packets sent with copies of earlier ones.
  public var redundant: UInt64 = 0
  /// Packets of padding, sent to find out what the path carries.
  public var paddingPackets: UInt64 = 0
  /// Packets requested by NACKs.
  public var nacks: UInt64 = 0
  /// PLI and FIR requests together.
  public var keyFrameRequests: UInt64 = 0
  /// Packets lost since the start, before repair, according to the far end's reports.
  public var packetsLost: Int64 = 0
  /// The share of packets lost in the far end's last report, 0…1.
  public var fractionLost: Double = 0
  /// The jitter in microseconds in the far end's last report.
  public var jitter: Int64 = 0
  /// The round-trip time in microseconds; nil before the first report that contains it.
  public var roundTripTime: Int64?

  public init() {}

  /// Returns the statistics of a stream that consists of two layers. The stream's frames are those of the layer with more.
  func adding(_ other: Self) -> Self {
    var sum = self
    sum.frames = max(frames, other.frames)
    sum.packets += other.packets
    sum.bytes += other.bytes
    sum.retransmitted += other.retransmitted
    sum.paddingPackets += other.paddingPackets
    sum.nacks += other.nacks
    sum.keyFrameRequests += other.keyFrameRequests
    sum.packetsLost += other.packetsLost
    sum.fractionLost = max(fractionLost, other.fractionLost)
    sum.jitter = max(jitter, other.jitter)
    sum.roundTripTime = roundTripTime ?? other.roundTripTime
    return sum
  }
}

/// The statistics of one received stream.
public struct ReceiverStatistics: Sendable, Hashable {
  /// When the first packet arrived; nil before it.
  public var firstPacketAt: Instant?
  /// Whole frames returned.
  public var frames: UInt64 = 0
  /// Frames that could not be completed.
  public var framesDropped: UInt64 = 0
  public var packets: UInt64 = 0
  /// Payload bytes received.
  public var bytes: UInt64 = 0
  /// Packets lost since the start, before repair.
  public var packetsLost: Int64 = 0
  /// Packets expected since the start.
  public var packetsExpected: Int64 = 0
  /// Packets received by retransmission.
  public var repaired: UInt64 = 0
  /// Lost audio packets of which a later packet had a copy.
  public var restored: UInt64 = 0
  /// Packets requested by NACKs.
  public var nacks: UInt64 = 0
  public var keyFrameRequests: UInt64 = 0
  /// The jitter in microseconds.
  public var jitter: Int64 = 0

  public init() {}
}
