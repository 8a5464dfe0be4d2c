public import RoomRTP

/// A record that a media worker writes into a tap.
public enum TapRecord: Sendable, Equatable {
  /// A packet of the track, in the order of arrival. `sequence` is extended; a jump of thousands is a publisher that restarted.
  /// The payload is passed separately. `level` is an audio packet's level, if the publisher sends one.
  case packet(
    sequence: Int64, timestamp: UInt32, marker: Bool, format: PayloadFormat, arrival: Instant, level: AudioLevel?)
  /// The publisher's sender report (RFC 3550 §6.4.1), in the timestamps of the packets.
  case report(ntp: NTPTime, timestamp: UInt32, arrival: Instant)
  /// Forwarding was stopped or resumed.
  case muted(Bool)
  /// The track ended. No more records follow.
  case ended
}

/// Gives a program the plain packets of one track, through a ring between the media worker's thread and the reader's.
///
/// The worker never blocks on a tap. A reader that is too slow misses packets, which shows in the sequence numbers. The reader
/// creates the tap and passes it to ``MediaRoom/tap(_:with:)``.
///
/// Unchecked because the compiler can't see who calls what. Only the worker writes and only the single owner reads. The ring's
/// atomic counters publish what passes between them.
public final class TrackTap: @unchecked Sendable {
  /// Ring size in bytes: 2 s of video at 8 Mb/s.
  public static let videoBytes = 1 << 21
  /// Ring size in bytes: 2 s of audio at 256 kb/s.
  public static let audioBytes = 1 << 17

  let ring: TapRing
  /// Whether the reader scales the pictures, so that a layer of `MediaRoom.setTapSize` is enough.
  let isScaled: Bool

  /// - Parameters:
  ///   - capacity: Bytes; rounded up to a power of two from 4 KiB to 64 MiB.
  ///   - isScaled: Whether the reader scales the pictures, so that a layer of ``MediaRoom/setTapSize(_:of:)`` is enough.
  public init(capacity: Int, isScaled: Bool = false) {
    self.isScaled = isScaled
    var bytes = 4096
    while bytes < min(capacity, 1 << 26) { bytes *= 2 }
    ring = TapRing(capacity: bytes)
  }

  deinit { ring.free() }

  /// Records lost so far because the ring was full.
  public var lost: Int { ring.lost }

  /// Passes the next record and its payload to `body`. Returns false if there is none. Call it on one thread at a time.
  public func read(_ body: (TapRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    ring.read { head, payload in
      if let record = TapRecord(head) { body(record, payload) }
    }
  }
}

extension TapRecord {
  private enum Kind {
    static let packet: UInt8 = 1
    static let report: UInt8 = 2
    static let muted: UInt8 = 3
    static let unmuted: UInt8 = 4
    static let ended: UInt8 = 5
  }

  fileprivate init?(_ head: TapRing.Head) {
    let arrival = Instant(microseconds: head.arrival)
    switch head.kind {
    case Kind.packet:
      guard let format = PayloadFormat(rawValue: head.format & 0x7F) else { return nil }
      self = .packet(
        sequence: head.sequence, timestamp: head.timestamp, marker: head.format & 0x80 != 0, format: format, arrival: arrival,
        level: head.level)
    case Kind.report: self = .report(ntp: NTPTime(rawValue: head.time), timestamp: head.timestamp, arrival: arrival)
    case Kind.muted: self = .muted(true)
    case Kind.unmuted: self = .muted(false)
    case Kind.ended: self = .ended
    default: return nil
    }
  }

  @inline(__always) static func head(
    of packet: StoredPacket, format: UInt8, arrival: Instant
  ) -> TapRing.Head {
    TapRing.Head(
      sequence: packet.sequence, arrival: arrival.microseconds,
      time: TapRing.Head.time(of: packet.flags.contains(.hasAudioLevel) ? AudioLevel(wire: packet.audioLevel) : nil),
      timestamp: packet.timestamp, length: packet.length, kind: Kind.packet,
      format: format | (packet.flags.contains(.marker) ? 0x80 : 0))
  }

  static func head(ofReport ntp: NTPTime, timestamp: UInt32, arrival: Instant) -> TapRing.Head {
    TapRing.Head(arrival: arrival.microseconds, time: ntp.rawValue, timestamp: timestamp, kind: Kind.report)
  }

  static func head(muted: Bool) -> TapRing.Head { TapRing.Head(kind: muted ? Kind.muted : Kind.unmuted) }

  static var headOfEnd: TapRing.Head { TapRing.Head(kind: Kind.ended) }
}
