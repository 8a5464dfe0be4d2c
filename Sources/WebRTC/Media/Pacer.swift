import RTP

/// A plain RTP packet on its way out, with the places of what is known only when it leaves.
struct OutgoingPacket {
  enum Urgency { case audio, repair, video }

  /// Room behind a packet for the tag of either SRTP profile.
  static let tagRoom = 32

  /// The packet, and behind it `tagRoom` spare bytes.
  var bytes: [UInt8]
  /// Bytes of the packet.
  var length: Int
  /// 0 if the extension is not there.
  var absSendTimeOffset: Int
  var transportSequenceOffset: Int
  var urgency: Urgency
}

/// Spreads packets over time, so that a large key frame does not fill the queues of the way at once: at most a few
/// milliseconds' worth leave together. Audio does not wait; repairs go before new video.
struct Pacer {
  /// How much faster than the target a burst may leave: video of the target's rate must never pile up here.
  static let factor = 2.5
  /// Whatever waits leaves within this time, if need be faster.
  static let longestWait: Int64 = 200_000
  /// What may leave at once, in microseconds of the rate.
  static let burst: Int64 = 10_000
  /// Packets that wait at most; beyond it the sender has lost touch with reality and the oldest go unpaced.
  static let limit = 2048

  private var urgent: [OutgoingPacket] = []
  private var urgentHead = 0
  private var queue: [OutgoingPacket] = []
  private var head = 0
  private var waitingBytes = 0
  /// Bytes that may leave; below zero the next has to wait.
  private var budget = 0.0
  private var refilled: Instant?
  /// Bits per second.
  var rate: Int

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

  /// When the next packet may leave; nil if none waits.
  func deadline(_ now: Instant) -> Instant? {
    if urgentHead < urgent.count { return now }
    guard head < queue.count else { return nil }
    guard let refilled, budget < 0 else { return now }
    return refilled.advanced(microseconds: Int64(-budget / bytesPerMicrosecond) + 1)
  }

  /// The next packet that may leave now.
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
    max(Double(rate) * Self.factor / 8_000_000, Double(waitingBytes) / Double(Self.longestWait))
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
