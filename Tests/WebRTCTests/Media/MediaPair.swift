import RoomRTP
import RoomTestSupport

@testable import RoomWebRTC

/// Two media sessions, a sender and a receiver, over a link in virtual time with seeded loss, delay and jitter (hence
/// reordering), and optionally a bottleneck with a queue.
final class MediaPair {
  struct Link {
    /// The share of datagrams lost in each direction, 0…1.
    var loss = 0.0
    /// The one-way delay in microseconds.
    var delay: Int64 = 20_000
    /// The maximum additional delay in microseconds, drawn for each datagram.
    var jitter: Int64 = 0
    /// The bitrate limit in bits per second from sender to receiver; nil is unlimited.
    var rate: Double?
    /// The queue length in microseconds above which the bottleneck drops.
    var queue: Int64 = 300_000
  }

  private struct Flight {
    var arrival: Instant
    var order: Int
    var bytes: [UInt8]
    var toReceiver: Bool
  }

  static let clientAddress = TransportAddress(ipv4: 0x0A00_0001, port: 4000)
  static let serverAddress = TransportAddress(ipv4: 0x0A00_0002, port: 5000)

  let sender: MediaSession
  let receiver: MediaSession
  var link: Link
  private(set) var now = Instant(microseconds: 1_000_000)
  private var generator: SeededGenerator
  private var flights: [Flight] = []
  private var order = 0
  private var busyUntil = Instant(microseconds: 0)
  private(set) var frames: [Mid: [(frame: EncodedFrame, at: Instant)]] = [:]
  private(set) var keyFrameRequests = 0
  private(set) var targets: [Int] = []
  /// The reported losses of sent streams.
  private(set) var losses: [Mid: [Double]] = [:]
  private(set) var isConnected = (sender: false, receiver: false)
  /// Called with each key frame request.
  var onKeyFrameRequest: (() -> Void)?
  /// Returns whether to drop a datagram from sender to receiver, given the sealed packet.
  var drops: (([UInt8]) -> Bool)?

  init(_ link: Link = Link(), seed: UInt64 = 1, bandwidth: PathEstimator.Configuration = .init()) throws {
    self.link = link
    generator = SeededGenerator(seed: seed)
    let (mine, theirs) = (ICECredentials.random(), ICECredentials.random())
    let (first, second) = (try Certificate(), try Certificate())
    sender = try MediaSession(
      .init(ice: .full(controlling: true), role: .client, certificate: first, credentials: mine, bandwidth: bandwidth))
    receiver = try MediaSession(.init(ice: .lite, role: .server, certificate: second, credentials: theirs))
    receiver.setRemote(TransportParameters(credentials: mine, fingerprints: [first.fingerprint], role: .client), now: now)
    sender.setRemote(
      TransportParameters(
        credentials: theirs, fingerprints: [second.fingerprint], role: .server, iceLite: true,
        candidates: [ICECandidate(foundation: "1", priority: 1000, address: Self.serverAddress, kind: .host)]), now: now)
    drain()
  }

  /// Describes the streams to both sides.
  func agree(on streams: [RTPParameters]) {
    sender.setSenders(streams, now: now)
    receiver.setReceivers(streams, now: now)
  }

  func send(_ frame: EncodedFrame, mid: Mid) {
    sender.send(frame, mid: mid, now: now)
    drain()
  }

  /// Advances time up to `end`.
  func run(until end: Instant) {
    while true {
      let flight = flights.indices.min { (flights[$0].arrival, flights[$0].order) < (flights[$1].arrival, flights[$1].order) }
      let due = [flight.map { flights[$0].arrival }, sender.deadline, receiver.deadline].compactMap { $0 }.min() ?? end
      guard due <= end else { break }
      now = max(now, due)
      if let flight, flights[flight].arrival <= now {
        var datagram = flights.remove(at: flight)
        datagram.bytes.withUnsafeMutableBytes { bytes in
          if datagram.toReceiver {
            receiver.receive(bytes, from: Self.clientAddress, now: now)
          } else {
            sender.receive(bytes, from: Self.serverAddress, now: now)
          }
        }
      } else {
        sender.advance(to: now)
        receiver.advance(to: now)
      }
      drain()
    }
    now = max(now, end)
  }

  func run(milliseconds: Int64) { run(until: now.advanced(milliseconds: milliseconds)) }

  /// Runs until both are connected; returns false if that takes ten seconds.
  func connect() -> Bool {
    let end = now.advanced(milliseconds: 10_000)
    while now < end, !(isConnected.sender && isConnected.receiver) { run(milliseconds: 10) }
    return isConnected.sender && isConnected.receiver
  }

  func drain() {
    while let output = sender.nextOutput() { take(output, fromSender: true) }
    while let output = receiver.nextOutput() { take(output, fromSender: false) }
  }

  private func take(_ output: MediaSession.Output, fromSender: Bool) {
    switch output {
    case .transmit(let bytes, _): transmit(bytes, fromSender: fromSender)
    case .event(.connected): if fromSender { isConnected.sender = true } else { isConnected.receiver = true }
    case .event(.frame(let mid, let frame)): frames[mid, default: []].append((frame, now))
    case .event(.keyFrameRequested):
      keyFrameRequests += 1
      onKeyFrameRequest?()
    case .event(.lossReported(let mid, let share)): losses[mid, default: []].append(share)
    case .event(.targetBitrate(let target)): targets.append(target)
    case .event: break
    }
  }

  private func transmit(_ bytes: [UInt8], fromSender: Bool) {
    if Double.random(in: 0..<1, using: &generator) < link.loss { return }
    if fromSender, drops?(bytes) ?? false { return }
    var start = now
    if fromSender, let rate = link.rate {
      let begin = max(busyUntil, now)
      guard begin - now <= link.queue else { return }
      busyUntil = begin.advanced(microseconds: Int64(Double(bytes.count * 8) / rate * 1_000_000))
      start = busyUntil
    }
    let extra = link.jitter > 0 ? Int64.random(in: 0...link.jitter, using: &generator) : 0
    order += 1
    flights.append(
      Flight(arrival: start.advanced(microseconds: link.delay + extra), order: order, bytes: bytes, toReceiver: fromSender))
  }
}

/// Streams and frames like those of an encoder, with meaningless bytes.
enum Sample {
  static func stream(_ codec: RTPCodec, mid: Mid) -> RTPParameters {
    let audio = codec.name == "opus"
    let names: [RTPHeaderExtension] = [.mid, .absSendTime, .transportSequence] + (audio ? [.audioLevel] : [])
    return RTPParameters(
      mid: mid, kind: audio ? .audio : .video, codecs: [codec],
      headerExtensions: Dictionary(uniqueKeysWithValues: names.map { ($0, $0.canonicalID) }),
      encodings: [RTPEncoding(ssrc: SSRC(.random(in: 1...1 << 30)), rtxSSRC: SSRC(.random(in: 1 << 30...1 << 31)))],
      cname: "test")
  }

  /// The bytes of units, with a period of 250. Units copy them: to compute each byte would cost a debug build most of a test's time.
  private static let pattern: [UInt8] = (0..<100_000).map { UInt8(4 + $0 % 250) }

  /// Returns an H.264 access unit of about `size` bytes in Annex B form: every byte except the headers is above 3.
  static func h264(_ number: Int, isKeyFrame: Bool, size: Int, fps: Int = 15) -> EncodedFrame {
    var data: [UInt8] = []
    func unit(_ header: UInt8, _ count: Int) {
      data += [0, 0, 0, 1, header] + pattern[(number % 250)...].prefix(count)
    }
    if isKeyFrame {
      unit(0x67, 12)
      unit(0x68, 4)
      unit(0x65, size)
    } else {
      unit(0x41, size)
    }
    return EncodedFrame(data: data, timestamp: UInt32(truncatingIfNeeded: number * 90_000 / fps), isKeyFrame: isKeyFrame)
  }

  static func opus(_ number: Int) -> EncodedFrame {
    EncodedFrame(
      data: [0x78] + (0..<60).map { UInt8(truncatingIfNeeded: $0 &+ number) },
      timestamp: UInt32(truncatingIfNeeded: number * 960),
      isKeyFrame: true)
  }
}
