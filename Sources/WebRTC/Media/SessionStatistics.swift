import RTP

/// What a media session counted since its start.
public struct SessionStatistics: Sendable, Hashable {
  /// Microseconds to the far end and back, smoothed; nil before the first measurement.
  public var roundTripTime: Int64?
  /// What congestion control takes the way to carry, bits per second.
  public var targetBitrate: Int
  /// Share of lost packets that congestion control sees, 0…1.
  public var loss: Double
  /// By mid.
  public var senders: [Mid: SenderStatistics]
  /// By mid.
  public var receivers: [Mid: ReceiverStatistics]
  public var drops: DropCounters
  /// Where media goes; nil before a way is found.
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

/// What was sent of one stream.
public struct SenderStatistics: Sendable, Hashable {
  public var frames: UInt64 = 0
  /// Without repairs.
  public var packets: UInt64 = 0
  /// Payload bytes without repairs.
  public var bytes: UInt64 = 0
  /// Packets sent again.
  public var retransmitted: UInt64 = 0
  /// Packets asked for again.
  public var nacks: UInt64 = 0
  /// PLI and FIR together.
  public var keyFrameRequests: UInt64 = 0
  /// As the far end's reports say: since the start, before repair.
  public var packetsLost: Int64 = 0
  /// Share lost in the far end's last report, 0…1.
  public var fractionLost: Double = 0
  /// Microseconds, as the far end's last report says.
  public var jitter: Int64 = 0
  /// Microseconds; nil before the first report that tells it.
  public var roundTripTime: Int64?

  public init() {}
}

/// What was received of one stream.
public struct ReceiverStatistics: Sendable, Hashable {
  /// Whole frames handed out.
  public var frames: UInt64 = 0
  /// Frames that could not be made whole.
  public var framesDropped: UInt64 = 0
  public var packets: UInt64 = 0
  /// Payload bytes.
  public var bytes: UInt64 = 0
  /// Lost on the way since the start, before repair.
  public var packetsLost: Int64 = 0
  /// Packets expected since the start.
  public var packetsExpected: Int64 = 0
  /// Packets that came by retransmission.
  public var repaired: UInt64 = 0
  /// Packets asked for again.
  public var nacks: UInt64 = 0
  public var keyFrameRequests: UInt64 = 0
  /// Microseconds.
  public var jitter: Int64 = 0

  public init() {}
}
