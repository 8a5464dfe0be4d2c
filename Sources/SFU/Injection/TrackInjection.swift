import CLinux
public import RTP
import Synchronization

/// A way into a media worker for a stream that comes by no transport: plain packets, through a ring between two threads. The worker
/// treats them as it treats those of a publisher, so that subscribers, taps and mutes know no difference.
///
/// Its owner writes packets and reports, and then calls ``commit()``, once for all that belong together. Nothing here waits: what
/// finds no room in the ring is lost, which the numbers show to whoever receives. Made by ``MediaRoom/inject(_:parameters:)``, and of
/// no effect after the track was unpublished.
///
/// Unchecked because the compiler can't see who calls what: the one owner alone writes, and alone touches `next`; the worker alone
/// reads, and what passes between them is published by the ring's atomic counters.
public final class TrackInjection: @unchecked Sendable {
  /// Big enough for 2 s of video at 16 Mb/s.
  static let videoBytes = 1 << 22
  /// Big enough for 2 s of audio at 256 kb/s.
  static let audioBytes = 1 << 17

  let ring: TapRing
  private let wakeup: Wakeup
  private let requests = Atomic<Int>(0)
  private var next: Int64

  init(isVideo: Bool, wakeup: Wakeup) {
    self.wakeup = wakeup
    ring = TapRing(capacity: isVideo ? Self.videoBytes : Self.audioBytes)
    next = Int64.random(in: 1..<16_384)
  }

  deinit { ring.free() }

  /// Puts a packet behind the others.
  /// - Parameters:
  ///   - payload: of the track's first codec; what is longer than a packet may be is dropped by the worker.
  ///   - marker: as RTP has it: for video the last packet of a frame.
  ///   - level: of an audio packet.
  /// - Returns: false where there is no room: the packet is lost.
  @discardableResult
  public func send(_ payload: [UInt8], timestamp: UInt32, marker: Bool, level: AudioLevel? = nil) -> Bool {
    defer { next &+= 1 }
    return payload.withUnsafeBytes { write($0, sequence: next, timestamp, marker: marker, format: nil, level) }
  }

  /// Puts a packet of another worker's track behind the others. Numbers are the other track's own, so that what is missing or comes
  /// out of order there does so here too.
  @discardableResult
  func carry(
    _ payload: UnsafeRawBufferPointer, sequence: Int64, timestamp: UInt32, marker: Bool, format: PayloadFormat,
    level: AudioLevel?
  ) -> Bool {
    write(payload, sequence: sequence, timestamp, marker: marker, format: format, level)
  }

  private func write(
    _ payload: UnsafeRawBufferPointer, sequence: Int64, _ timestamp: UInt32, marker: Bool, format: PayloadFormat?,
    _ level: AudioLevel?
  ) -> Bool {
    guard payload.count <= PacketRing.payloadLimit else { return false }
    let head = TapRing.Head(
      sequence: sequence, time: TapRing.Head.time(of: level), timestamp: timestamp,
      length: UInt16(truncatingIfNeeded: payload.count), kind: InjectedRecord.packet,
      format: (marker ? InjectedRecord.marker : 0) | (format.map { $0.rawValue + 1 } ?? 0))
    return ring.write(head, payload.baseAddress)
  }

  /// Says what moment a timestamp stands for, as a publisher's sender report does (RFC 3550 §6.4.1). Tracks whose reports tell of one
  /// clock are played in time with each other. The first stands before the first packet, others follow every second or so.
  public func report(_ ntp: NTPTime, timestamp: UInt32) {
    ring.write(
      TapRing.Head(arrival: linux_now_us(), time: ntp.rawValue, timestamp: timestamp, kind: InjectedRecord.report), nil)
  }

  /// Has the worker take what was written.
  public func commit() { wakeup.signal() }

  /// Packets and reports that found no room so far.
  public var lost: Int { ring.lost }

  /// How often a key frame was wished for so far, by subscribers or taps: at most once in `MediaLimits.keyFrameInterval`, and ever
  /// more rarely while none comes.
  public var keyFrameRequests: Int { requests.load(ordering: .relaxed) }

  func keyFrameIsWanted() { requests.add(1, ordering: .relaxed) }
}

/// What the heads of an injection's records say.
enum InjectedRecord {
  static let packet: UInt8 = 1
  static let report: UInt8 = 2
  /// In `format`, whose other bits are the payload format and one, or 0 for that of the track's first codec.
  static let marker: UInt8 = 0x80
}
