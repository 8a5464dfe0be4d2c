/// Totals of a link.
public struct LinkCounters: Hashable, Sendable {
  // Sent.
  public var recordsSent: UInt64 = 0
  public var datagramsSent: UInt64 = 0
  /// With copies, headers and tags, without those of IP and UDP, and without control datagrams.
  public var bytesSent: UInt64 = 0
  public var controlSent: UInt64 = 0
  public var resent: UInt64 = 0
  /// Requests that were not answered: too old, too early, beyond the budget.
  public var resendsForgotten: UInt64 = 0
  public var resendsEarly: UInt64 = 0
  public var resendsOverBudget: UInt64 = 0
  /// Records that were not sent: too long, ring full, link dead.
  public var recordsOversized: UInt64 = 0
  public var recordsFull: UInt64 = 0
  public var recordsDead: UInt64 = 0
  /// Records of streams that are held back, and records of video that waited too long: the path carries too little.
  public var recordsHeld: UInt64 = 0
  public var recordsLate: UInt64 = 0
  /// Datagrams that libcrypto did not seal.
  public var unsealed: UInt64 = 0

  // Received.
  public var recordsReceived: UInt64 = 0
  public var datagramsReceived: UInt64 = 0
  /// Datagrams found missing, repaired or not, and those given up.
  public var missed: UInt64 = 0
  public var lost: UInt64 = 0
  public var controlReceived: UInt64 = 0
  public var refusedMalformed: UInt64 = 0
  public var refusedOtherEpoch: UInt64 = 0
  public var refusedForged: UInt64 = 0
  public var refusedReplayed: UInt64 = 0
  public var refusedOutdated: UInt64 = 0

  // Streams.
  /// Wishes and feeds beyond ``LinkOptions/maximumStreams``.
  public var streamsRefused: UInt64 = 0
  /// Events that the owner did not take in time.
  public var eventsLost: UInt64 = 0

  public init() {}

  mutating func count(_ refusal: LinkRefusal) {
    switch refusal {
    case .malformed: refusedMalformed &+= 1
    case .otherEpoch: refusedOtherEpoch &+= 1
    case .forged: refusedForged &+= 1
    case .replayed: refusedReplayed &+= 1
    case .outdated: refusedOutdated &+= 1
    }
  }
}

/// What the other node measured of the path from here to it.
public struct LinkEstimate: Hashable, Sendable {
  /// The fraction of datagrams that were lost on the path between the last two reports, 0 … 1. Repairs do not lower it.
  public var loss = 0.0
  /// The bitrate that arrived, in bps.
  public var bitrate: Int64 = 0
  /// The mean time in queues, in microseconds.
  public var queueing: Int64 = 0
  /// The smoothed round-trip time in microseconds; nil before the first measurement.
  public var roundTrip: Int64?
  /// Datagrams that the other node gave up, in total.
  public var lost: UInt64 = 0
}
