import RoomCLinux
public import RoomRTP
import Synchronization

/// Feeds a media worker with a stream that arrives over no transport: plain packets, through a ring between two threads. The
/// worker treats them like a publisher's packets, so subscribers, taps and mutes work the same.
///
/// The owner writes packets and reports, then calls ``commit()`` once per group of them. No call blocks. A record that does not
/// fit in the ring is lost; receivers see the gap in the sequence numbers. ``MediaRoom/inject(_:parameters:layers:)`` creates
/// an injection. It has no effect after the track is unpublished.
///
/// A video can have several layers, each an injection of its own: ``nextLayer`` leads from one to the next.
///
/// Unchecked because the compiler can't see who calls what. Only the single owner writes and touches `next`. Only the worker
/// reads. The ring's atomic counters publish what passes between them.
public final class TrackInjection: @unchecked Sendable {
  /// Ring size in bytes: 2 s of video at 16 Mb/s.
  static let videoBytes = 1 << 22
  /// Ring size in bytes: 2 s of audio at 256 kb/s.
  static let audioBytes = 1 << 17
  /// The same of a link between workers, which are awake: 0.5 s of video at 8 Mb/s, 1 s of audio at 256 kb/s.
  static let linkVideoBytes = 1 << 19
  static let linkAudioBytes = 1 << 15

  /// The track's next smaller layer; nil if this is the smallest.
  public let nextLayer: TrackInjection?
  package let isVideo: Bool
  let ring: TapRing
  private let wakeup: Wakeup
  private let requests = Atomic<Int>(0)
  private let wanted: Atomic<Bool>
  private let share = Atomic<Int>(.max)
  private var next: Int64
  /// Whether the packets are those of a track at another worker, in this room or in another one.
  let isLink: Bool
  /// Whether the worker that reads reports the track's levels, shape and first packet to the room. Another worker of the room reports
  /// those of its own tracks.
  let isReported: Bool
  /// The number of the worker that reads, or ``Forwarder/networkWorker``.
  let reader: Int

  /// Whether the other end of a link has received the track from elsewhere so far: what it may have missed is sent first.
  let isContinued: Bool

  init(
    isVideo: Bool, layers: Int = 1, isLink: Bool = false, isContinued: Bool = false, isReported: Bool = true, reader: Int = 0,
    wakeup: Wakeup
  ) {
    nextLayer =
      layers > 1
      ? TrackInjection(
        isVideo: isVideo, layers: layers - 1, isLink: isLink, isContinued: isContinued, isReported: isReported, reader: reader,
        wakeup: wakeup) : nil
    self.isVideo = isVideo
    self.isContinued = isContinued
    self.wakeup = wakeup
    self.isLink = isLink
    self.isReported = isReported
    self.reader = reader
    // A link wants nothing until a subscription does: other workers may have subscribers of other layers.
    wanted = Atomic(!isLink)
    ring = TapRing(
      capacity: isLink
        ? isVideo ? Self.linkVideoBytes : Self.linkAudioBytes : isVideo ? Self.videoBytes : Self.audioBytes)
    next = Int64.random(in: 1..<16_384)
  }

  deinit { ring.free() }

  /// Appends a packet.
  /// - Parameters:
  ///   - payload: A payload of the track's first codec. The worker drops one that is longer than a packet may be.
  ///   - marker: The RTP marker bit: for video, set on the last packet of a frame.
  ///   - level: The level of an audio packet.
  /// - Returns: false if the ring is full: the packet is lost.
  @discardableResult
  public func send(_ payload: [UInt8], timestamp: UInt32, marker: Bool, level: AudioLevel? = nil) -> Bool {
    defer { next &+= 1 }
    guard payload.count <= PacketRing.payloadLimit else { return false }
    let head = TapRing.Head(
      sequence: next, time: TapRing.Head.time(of: level), timestamp: timestamp,
      length: UInt16(truncatingIfNeeded: payload.count), kind: InjectedRecord.packet, format: marker ? InjectedRecord.marker : 0
    )
    return payload.withUnsafeBytes { ring.write(head, $0.baseAddress) }
  }

  /// Maps a timestamp to wall-clock time, as a publisher's sender report does (RFC 3550 §6.4.1). Receivers synchronise tracks
  /// whose reports use one clock. Send the first report before the first packet, then one about every second.
  public func report(_ ntp: NTPTime, timestamp: UInt32) {
    ring.write(
      InjectedRecord.head(ofReport: ntp, timestamp: timestamp, arrival: Instant(microseconds: linux_now_us())), nil)
  }

  /// The eventfd of the worker that reads.
  var wakeDescriptor: Int32 { wakeup.descriptor }

  /// Wakes the worker to read the written records.
  public func commit() { wakeup.signal() }

  /// Packets and reports lost so far because the ring was full.
  public var lost: Int { ring.lost }

  /// Key frame requests so far, from subscribers or taps: at most one per `MediaLimits.keyFrameInterval`, and fewer and fewer
  /// while no key frame arrives.
  public var keyFrameRequests: Int { requests.load(ordering: .relaxed) }

  func keyFrameIsWanted() { requests.add(1, ordering: .relaxed) }

  func setKeyFrameRequests(_ count: Int) { requests.store(count, ordering: .relaxed) }

  /// Whether somebody needs this layer. The first layer is always wanted, unless this is a link: then each is while a subscriber, a tap or
  /// another link needs it. A smaller one is wanted at the start, so that its size becomes known, and while a subscriber's network or
  /// choice needs it.
  public var isWanted: Bool { wanted.load(ordering: .relaxed) }

  func setWanted(_ isWanted: Bool) { wanted.store(isWanted, ordering: .relaxed) }

  /// Of a link, the bitrate that the best of its subscribers can take, in bits per second; nil if one has no limit.
  package var subscriberShare: Int? {
    let bitrate = share.load(ordering: .relaxed)
    return bitrate == .max ? nil : bitrate
  }

  func setSubscriberShare(_ bitrate: Int?) { share.store(bitrate ?? .max, ordering: .relaxed) }
}

/// Values in the heads of an injection's records.
enum InjectedRecord {
  static let packet: UInt8 = 1
  static let report: UInt8 = 2
  /// A packet of a link. A dependency descriptor may precede its payload.
  static let linkedPacket: UInt8 = 3
  /// The stream of a link begins again: the next packet's number and timestamp are unrelated to the last.
  static let restarted: UInt8 = 4
  /// The packets up to `present` were forwarded before the link began. It has the picture's size in `timestamp`, and the stream's
  /// rates: kbit/s and frames per second in `sequence`, bits per second with headers in `time`.
  static let past: UInt8 = 5
  /// `arrival` is that of the key frame among them.
  static let present: UInt8 = 6
  /// The longest dependency descriptor in bytes.
  static let longestDescriptor = Int(UInt8.max)
  /// A bit of `format`. The other bits are the index of the codec.
  static let marker: UInt8 = 0x80
}
