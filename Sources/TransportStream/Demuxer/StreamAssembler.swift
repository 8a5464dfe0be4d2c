import RoomRTMP
import RoomRTP

/// Assembles the PES packets of one elementary stream, ISO/IEC 13818-1 §2.4.3.6, and divides them into frames.
struct StreamAssembler {
  enum Kind { case video, audio }

  /// The largest picture in bytes.
  static let longestPicture = 4 << 20
  /// The largest PES packet of sound in bytes.
  static let longestSound = 70_000

  let kind: Kind
  private var bytes: [UInt8] = []
  /// The number of bytes of the current PES packet; nil if its end is unknown or it has not begun.
  private var expected: Int?
  private var hasBegun = false
  private var needsKeyFrame = true
  /// The begin of an ADTS frame that ends in the next PES packet, and its time.
  private var partial: [UInt8] = []
  private var nextSound: MediaTime?
  private(set) var lost = 0
  private(set) var malformed = 0

  init(_ kind: Kind) { self.kind = kind }

  /// Drops the current PES packet because a part is missing. Video resumes at the next key frame.
  mutating func reset() {
    if hasBegun { lost += 1 }
    (bytes, expected, hasBegun, partial, nextSound) = ([], nil, false, [], nil)
    needsKeyFrame = true
  }

  /// Takes the payload of the next packet. `clock` makes wrapped timestamps continuous.
  mutating func take(
    _ payload: UnsafeRawBufferPointer, startsUnit: Bool, _ clock: inout TimestampClock, _ frame: (TransportStreamFrame) -> Void
  ) {
    if startsUnit {
      finish(&clock, frame)
      hasBegun = true
    }
    guard hasBegun else { return }
    guard bytes.count + payload.count <= (kind == .video ? Self.longestPicture : Self.longestSound) else {
      malformed += 1
      return reset()
    }
    bytes.append(contentsOf: payload)
    if startsUnit, bytes.count >= 6 {
      let length = Int(bytes[4]) << 8 | Int(bytes[5])
      expected = length > 0 ? length + 6 : nil
    }
    if let expected, bytes.count >= expected {
      bytes.removeLast(bytes.count - expected)
      finish(&clock, frame)
    }
  }

  private mutating func finish(_ clock: inout TimestampClock, _ frame: (TransportStreamFrame) -> Void) {
    guard hasBegun else { return }
    let packet = bytes
    (bytes, expected, hasBegun) = ([], nil, false)
    guard packet.count >= 9, packet[0] == 0, packet[1] == 0, packet[2] == 1, packet[6] & 0xc0 == 0x80 else {
      malformed += 1
      needsKeyFrame = true
      return
    }
    let begin = 9 + Int(packet[8])
    guard begin <= packet.count else {
      malformed += 1
      needsKeyFrame = true
      return
    }
    let presentation = packet[7] & 0x80 != 0 && begin >= 14 ? Self.stamp(packet, 9).map { clock.time(of: $0) } : nil
    let decoding = packet[7] & 0x40 != 0 && begin >= 19 ? Self.stamp(packet, 14).map { clock.time(of: $0) } : nil
    switch kind {
    case .video: picture(packet[begin...], presentation, decoding ?? presentation, frame)
    case .audio: sounds(packet[begin...], presentation, frame)
    }
  }

  private static func stamp(_ bytes: [UInt8], _ at: Int) -> Int64? {
    guard at + 5 <= bytes.count else { return nil }
    let high = Int64(bytes[at] >> 1 & 0x07) << 30
    let middle = Int64(bytes[at + 1]) << 22 | Int64(bytes[at + 2] >> 1) << 15
    return high | middle | Int64(bytes[at + 3]) << 7 | Int64(bytes[at + 4] >> 1)
  }

  private mutating func picture(
    _ unit: ArraySlice<UInt8>, _ presentation: MediaTime?, _ decoding: MediaTime?, _ frame: (TransportStreamFrame) -> Void
  ) {
    guard let presentation, let decoding, !unit.isEmpty else {
      malformed += 1
      return
    }
    let unit = Array(unit)
    let isKeyFrame = AnnexB.isKeyFrame(unit)
    if isKeyFrame { needsKeyFrame = false }
    guard !needsKeyFrame else { return }
    frame(.picture(unit, decoding: decoding, presentation: presentation, isKeyFrame: isKeyFrame))
  }

  private mutating func sounds(
    _ payload: ArraySlice<UInt8>, _ presentation: MediaTime?, _ frame: (TransportStreamFrame) -> Void
  ) {
    // The timestamp is that of the first frame that begins in this PES packet.
    var time = partial.isEmpty ? presentation ?? nextSound : nextSound
    var stamp = partial.isEmpty ? nil : presentation
    let bytes = partial + payload
    partial = []
    var position = 0
    while position < bytes.count {
      let rest = bytes[position...]
      guard rest.count >= 7 else {
        partial = Array(rest)
        break
      }
      guard let header = ADTSHeader(rest) else {
        malformed += 1
        guard let next = rest.dropFirst().firstIndex(of: 0xff) else { break }
        position = next
        continue
      }
      guard header.frameLength <= rest.count else {
        partial = Array(rest)
        break
      }
      if let at = time, header.blocks == 1 {
        frame(
          .sound(Array(rest.prefix(header.frameLength).dropFirst(header.length)), at: at, header.configuration))
      } else {
        malformed += 1
      }
      let samples = Int64(1024 * header.blocks)
      time = stamp ?? time?.advanced(microseconds: samples * 1_000_000 / Int64(header.configuration.sampleRate))
      stamp = nil
      position += header.frameLength
    }
    nextSound = stamp ?? time
  }
}

/// Makes timestamps of 33 bits at 90 kHz continuous across their wraparound.
struct TimestampClock {
  private var newest: Int64?

  mutating func time(of stamp: Int64) -> MediaTime {
    let ticks: Int64
    if let newest {
      let step = (stamp &- newest) & 0x1_ffff_ffff
      ticks = newest &+ (step > 0xffff_ffff ? step - 0x2_0000_0000 : step)
    } else {
      ticks = stamp
    }
    newest = ticks
    return MediaTime(ticks: ticks, rate: 90_000)
  }
}
