import RoomRTP

/// A plain RTP packet to send, with the offsets of the fields that are set only when it is sent.
struct OutgoingPacket {
  enum Urgency { case audio, repair, video }

  /// The number of bytes reserved after a packet for the tag of either SRTP profile.
  static let tagRoom = 32

  /// The packet, followed by `tagRoom` spare bytes.
  var bytes: [UInt8]
  /// The length of the packet in bytes.
  var length: Int
  /// The offset of abs-send-time; 0 if the extension is absent.
  var absSendTimeOffset: Int
  var transportSequenceOffset: Int
  var urgency: Urgency
  /// The probe that the packet is sent in; 0 if none.
  var probe: UInt8 = 0
}

/// Spreads packets over time, so that a large key frame does not fill the queues of the path at once: at most a few
/// milliseconds' worth are sent together. Audio does not wait; retransmissions precede new video. In a probe all packets are
/// sent at its rate, and padding fills the gaps.
struct Pacer {
  /// The ratio of the burst rate to the target, so that video at the target rate never accumulates here.
  static let factor = 2.5
  /// The maximum time in microseconds that a packet waits; the rate is raised if necessary.
  static let longestWait: Int64 = 200_000
  /// The burst that may be sent at once, in microseconds of the rate.
  static let burst: Int64 = 10_000
  /// The maximum number of queued packets; above it the oldest are sent unpaced.
  static let limit = 2048

  private var urgent: [OutgoingPacket] = []
  private var urgentHead = 0
  private var queue: [OutgoingPacket] = []
  private var head = 0
  private var waitingBytes = 0
  /// The number of bytes that may be sent; if negative, the next packet waits.
  private var budget = 0.0
  private var refilled: Instant?
  /// The rate in bits per second.
  var rate: Int
  /// The probe that is being sent, and its end.
  private var probe: (plan: Probe, end: Instant)?

  init(target: Int) { rate = target }

  mutating func setTarget(_ target: Int) { rate = max(target, 300_000) }

  mutating func add(_ packet: OutgoingPacket) {
    switch packet.urgency {
    case .audio, .repair: urgent.append(packet)
    case .video:
      queue.append(packet)
      waitingBytes += packet.length
    }
  }

  var isEmpty: Bool { urgentHead == urgent.count && head == queue.count }

  /// Starts a probe; one that is still being sent ends.
  mutating func begin(_ plan: Probe, now: Instant) {
    refill(now)
    budget = max(budget, 0)
    probe = (plan, now.advanced(microseconds: plan.duration))
  }

  /// Returns the probe that packets belong to now; 0 if none.
  mutating func probeID(_ now: Instant) -> UInt8 {
    if let open = probe, now >= open.end { probe = nil }
    return probe?.plan.id ?? 0
  }

  /// Whether padding is to be sent now, because a probe has nothing else to send.
  mutating func wantsPadding(_ now: Instant) -> Bool {
    guard probeID(now) != 0, isEmpty else { return false }
    refill(now)
    return budget >= 0
  }

  /// Records padding that was sent.
  mutating func padded(_ length: Int) { budget -= Double(length) }

  /// Returns when the next packet may be sent; nil if none is queued.
  func deadline(_ now: Instant) -> Instant? {
    if urgentHead < urgent.count { return now }
    guard head < queue.count || probe != nil else { return nil }
    guard let refilled, budget < 0 else { return now }
    return refilled.advanced(microseconds: Int64(-budget / bytesPerMicrosecond) + 1)
  }

  /// Returns the next packet that may be sent now.
  mutating func next(_ now: Instant) -> OutgoingPacket? {
    refill(now)
    if urgentHead < urgent.count {
      let packet = urgent[urgentHead]
      urgentHead += 1
      if urgentHead == urgent.count {
        urgent.removeAll(keepingCapacity: true)
        urgentHead = 0
      }
      budget -= Double(packet.length)
      return packet
    }
    guard head < queue.count, budget >= 0 || queue.count - head > Self.limit else { return nil }
    let packet = queue[head]
    head += 1
    waitingBytes -= packet.length
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 512 {
      queue.removeFirst(head)
      head = 0
    }
    budget -= Double(packet.length)
    return packet
  }

  private var bytesPerMicrosecond: Double {
    max(
      probe.map { Double($0.plan.bitrate) / 8_000_000 } ?? Double(rate) * Self.factor / 8_000_000,
      Double(waitingBytes) / Double(Self.longestWait))
  }

  private mutating func refill(_ now: Instant) {
    guard let last = refilled else {
      refilled = now
      return
    }
    guard now > last else { return }
    budget = min(budget + Double(now - last) * bytesPerMicrosecond, Double(Self.burst) * bytesPerMicrosecond)
    refilled = now
  }
}
