import RoomLinkModel
import RoomRTP

/// A video source that follows the estimate, a pacer as the client's, and a receiver that sends feedback each 50 ms.
final class MediaFlow: Flow {
  struct Settings {
    var rates = 150_000.0...2_500_000.0
    var fps = 30.0
    /// When it starts, in seconds.
    var start = 0.0
    /// The links of media and of feedback.
    var forward = 0
    var back = 1
    /// The one-way delay besides that of the link, in microseconds.
    var delay: Int64 = 0
    /// The estimate at the start in bits per second.
    var estimate = 1_500_000
    /// Whether the receiver sends transport-wide feedback; if not, a receiver report each second.
    var hasTransportFeedback = true
  }

  private struct Packet {
    var sent: Int64
    /// Int64.max if it was lost.
    var arrival: Int64
    var size: Int32
    var probe: UInt8
  }

  private struct Feedback {
    var arrival: Int64
    var end: Int
    var made: Int64
  }

  private static let packetSize = 1200
  private static let paddingSize = 280

  private let settings: Settings
  private var random: RoomLinkModel.SeededGenerator
  private(set) var estimator: PathEstimator
  /// Whether the source is paused.
  var isPaused = false
  /// The media bytes received in each tenth of a second.
  private(set) var received: [Int] = []
  private(set) var paddingBytes = 0
  private(set) var sentBytes = 0

  private var packets: [Packet] = []
  private var reported = 0
  private var answered = 0
  private var feedbacks: [Feedback] = []
  private var feedbackHead = 0
  private var pacer: [Int32] = []
  private var pacerHead = 0
  private var nextFrame: Int64
  private var nextFeedback: Int64
  private var nextSend: Int64 = .max
  private var freeAt: Int64 = 0
  private var probe: (probe: Probe, end: Int64)?
  private var roundTrip: Int64?
  private(set) var due: Int64

  init(_ settings: Settings = Settings(), seed: UInt64) {
    self.settings = settings
    random = RoomLinkModel.SeededGenerator(seed: seed &* 7919 &+ 13)
    estimator = PathEstimator(.init(start: settings.estimate, minimum: 100_000, maximum: 10_000_000))
    let start = Int64(settings.start * 1_000_000)
    nextFrame = start + Int64(random.fraction() * 33_000)
    nextFeedback = start + Int64(random.fraction() * 50_000)
    due = min(nextFrame, nextFeedback)
  }

  func act(in network: VirtualNetwork) {
    let now = network.now
    if now >= nextFrame { makeFrame(now) }
    if now >= nextSend { send(network, now) }
    if now >= nextFeedback { report(network, now) }
    while feedbackHead < feedbacks.count, feedbacks[feedbackHead].arrival <= now { take(feedbacks[feedbackHead], now) }
    if let deadline = estimator.deadline, deadline.microseconds <= now { estimator.advance(to: Instant(microseconds: now)) }
    due = min(min(nextFrame, nextSend), min(nextFeedback, estimator.deadline?.microseconds ?? .max))
    if feedbackHead < feedbacks.count { due = min(due, feedbacks[feedbackHead].arrival) }
  }

  private var rate: Double { min(max(Double(estimator.target), settings.rates.lowerBound), settings.rates.upperBound) }

  private func makeFrame(_ now: Int64) {
    nextFrame += Int64(1_000_000 / settings.fps)
    guard !isPaused else { return }
    var bytes = Int(rate / 8 / settings.fps * (0.85 + 0.3 * random.fraction()))
    while bytes > 0 {
      pacer.append(Int32(max(60, min(bytes, Self.packetSize))))
      bytes -= Self.packetSize
    }
    schedule(now)
  }

  private func schedule(_ now: Int64) {
    nextSend = pacerHead < pacer.count || probe != nil ? max(now, freeAt) : .max
  }

  private func send(_ network: VirtualNetwork, _ now: Int64) {
    if let open = probe, now > open.end { probe = nil }
    var size = 0
    let isMedia = pacerHead < pacer.count
    if isMedia {
      size = Int(pacer[pacerHead])
      pacerHead += 1
      if pacerHead == pacer.count {
        pacer.removeAll(keepingCapacity: true)
        pacerHead = 0
      }
    } else if probe != nil {
      size = Self.paddingSize
      paddingBytes += size
    } else {
      nextSend = .max
      return
    }
    sentBytes += size
    let arrival = network.send(size, link: settings.forward).map { $0 + settings.delay }
    let id = probe?.probe.id ?? 0
    packets.append(Packet(sent: now, arrival: arrival ?? .max, size: Int32(size), probe: id))
    estimator.sent(probe: id, at: Instant(microseconds: now))
    if let arrival, isMedia {
      let slot = Int(arrival / 100_000)
      while received.count <= slot { received.append(0) }
      received[slot] += size
    }
    let pace = probe.map { Double($0.probe.bitrate) } ?? max(Double(estimator.target), 300_000) * 2.5
    freeAt = now + Int64(Double(size) * 8_000_000 / pace)
    schedule(now)
  }

  private func report(_ network: VirtualNetwork, _ now: Int64) {
    nextFeedback += settings.hasTransportFeedback ? 50_000 : 1_000_000
    var index = reported
    var end = reported
    while index < packets.count {
      let arrival = packets[index].arrival
      if arrival <= now {
        end = index + 1
      } else if arrival != .max {
        break
      }
      index += 1
    }
    guard end > reported else { return }
    reported = end
    if let arrival = network.send(60 + end - answered, link: settings.back) {
      feedbacks.append(Feedback(arrival: arrival + settings.delay, end: end, made: now))
    }
  }

  private func take(_ feedback: Feedback, _ now: Int64) {
    feedbackHead += 1
    guard feedback.end > answered else { return }
    let last = packets[feedback.end - 1]
    let measured = now - last.sent - (feedback.made - last.arrival)
    roundTrip = roundTrip.map { ($0 * 3 + measured) / 4 } ?? measured
    let news = answered..<feedback.end
    answered = feedback.end
    let time = Instant(microseconds: now)
    guard settings.hasTransportFeedback else {
      let lost = packets[news].count { $0.arrival == .max }
      estimator.report(fractionLost: Double(lost) / Double(news.count), roundTrip: measured, now: time)
      return
    }
    for index in news { estimator.take(outcome(packets[index])) }
    estimator.update(roundTrip: roundTrip, now: time)
    if probe == nil, let next = estimator.nextProbe(now: time) {
      probe = (next, now + next.duration)
      freeAt = now
      schedule(now)
    }
  }

  /// What the feedback contains: its times have a resolution of 250 µs, on another clock.
  private func outcome(_ packet: Packet) -> PacketOutcome {
    PacketOutcome(
      sent: Instant(microseconds: packet.sent), size: Int(packet.size),
      arrival: packet.arrival == .max ? nil : Instant(microseconds: packet.arrival / 250 * 250 + 77_000_000),
      probe: packet.probe)
  }

  // MARK: What was received

  /// The media bitrate received between two times in seconds.
  func rate(from: Double, to: Double) -> Double {
    let slots = received[min(Int(from * 10), received.count)..<min(Int(to * 10), received.count)]
    return Double(slots.reduce(0, +) * 8) / (to - from)
  }

  /// The seconds after `from` until the media of half a second reach this bitrate; infinite if they do not.
  func reaches(_ rate: Double, after from: Double) -> Double {
    let first = Int(from * 10)
    guard received.count > first + 10 else { return .infinity }
    for end in (first + 1)...received.count - 5 {
      let sum = received[end..<end + 5].reduce(0, +)
      if Double(sum * 16) >= rate { return Double(end - first) / 10 + 0.5 }
    }
    return .infinity
  }
}
