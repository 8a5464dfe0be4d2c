public import RoomRTMP
public import RoomRTP

/// Writes an MPEG transport stream (ISO/IEC 13818-1) of one H.264 stream and one AAC stream.
///
/// Sans-I/O: after each call, take the packets by ``takeOutput()``. Times may start anywhere at or after zero.
public struct TransportStreamMuxer: Sendable {
  private static let mapPID = 0x1000
  private static let videoPID = 0x100
  private static let audioPID = 0x101
  /// Ticks of 90 kHz that are added to all times, so that the clock is never negative: 1 s.
  private static let origin: Int64 = 90_000
  /// The ticks between the arrival of a frame and its presentation, in which a receiver buffers: 200 ms.
  private static let delay: Int64 = 18_000
  /// The longest intervals in ticks: 80 ms between clock references, 400 ms between tables.
  private static let clockInterval: Int64 = 7200
  private static let tableInterval: Int64 = 36_000
  /// AAC frames in a PES packet: at 128 kbit/s, three fill seven packets, which are one datagram of SRT.
  private static let soundsPerPacket = 3

  private var hasVideo: Bool
  private var hasAudio: Bool
  /// The version of the map, modulo 32.
  private var version: UInt8 = 0
  private var output: [UInt8] = []
  private var continuities: [Int: UInt8] = [:]
  private var lastTables: Int64?
  private var lastClock: Int64?
  private var sounds: [UInt8] = []
  private var soundCount = 0
  private var soundTime = MediaTime.zero

  /// Creates a muxer before the first frame.
  public init(hasVideo: Bool, hasAudio: Bool) {
    self.hasVideo = hasVideo
    self.hasAudio = hasAudio
  }

  /// Announces pictures in the map, unless it has them already.
  public mutating func addVideo() {
    guard !hasVideo else { return }
    changeMap()
    hasVideo = true
  }

  /// Announces sound in the map, unless it has it already.
  public mutating func addAudio() {
    guard !hasAudio else { return }
    changeMap()
    hasAudio = true
  }

  private mutating func changeMap() {
    guard lastTables != nil else { return }
    // The gathered sound belongs to the old map.
    flush()
    lastTables = nil
    version = (version + 1) & 0x1f
  }

  /// Returns the packets since the last call, of 188 bytes each.
  public mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  /// Writes an access unit in Annex B form. A key frame needs its parameter sets.
  public mutating func write(
    picture: [UInt8], decoding: MediaTime, presentation: MediaTime, isKeyFrame: Bool
  ) {
    let time = Self.ticks(decoding)
    writeTables(time, isForced: isKeyFrame)
    let shown = Self.ticks(presentation)
    var packet = Self.header(0xe0, shown, shown == time ? nil : time)
    // An access unit delimiter comes first (§2.14.1).
    packet += [0, 0, 0, 1, 0x09, 0xf0]
    packet += picture
    Self.setLength(&packet)
    lastClock = max(lastClock ?? time, time)
    packetise(packet, on: Self.videoPID, clock: lastClock, isRandomAccess: isKeyFrame)
  }

  /// Writes an AAC frame. Frames are gathered until they fill a datagram, or until ``flush()``.
  public mutating func write(sound: [UInt8], at time: MediaTime, _ configuration: AudioSpecificConfig) {
    guard let header = ADTSHeader.encoded(configuration, count: sound.count) else { return }
    // The receiver counts samples within a PES packet, so a gap begins a new one.
    let next = soundTime.advanced(
      microseconds: Int64(soundCount) * 1_024_000_000 / Int64(max(1, configuration.sampleRate)))
    if soundCount > 0, abs(time - next) > 3000 { flush() }
    if soundCount == 0 { soundTime = time }
    sounds += header + sound
    soundCount += 1
    if soundCount >= Self.soundsPerPacket { flush() }
  }

  /// Writes the gathered sound.
  public mutating func flush() {
    guard soundCount > 0 else { return }
    let time = Self.ticks(soundTime)
    writeTables(time, isForced: false)
    if hasVideo { writeClock(time) }
    var packet = Self.header(0xc0, time, nil)
    packet += sounds
    Self.setLength(&packet)
    (sounds, soundCount) = ([], 0)
    if !hasVideo { lastClock = max(lastClock ?? time, time) }
    packetise(packet, on: Self.audioPID, clock: hasVideo ? nil : lastClock, isRandomAccess: !hasVideo)
  }

  private static func ticks(_ time: MediaTime) -> Int64 { time.ticks(rate: 90_000) &+ origin }

  // MARK: PES packets

  private static func header(_ stream: UInt8, _ presentation: Int64, _ decoding: Int64?) -> [UInt8] {
    var header: [UInt8] = [0, 0, 1, stream, 0, 0, 0x84, decoding == nil ? 0x80 : 0xc0, decoding == nil ? 5 : 10]
    stamp(&header, decoding == nil ? 2 : 3, presentation &+ delay)
    if let decoding { stamp(&header, 1, decoding &+ delay) }
    return header
  }

  private static func stamp(_ bytes: inout [UInt8], _ prefix: UInt8, _ ticks: Int64) {
    func part(_ shift: Int64, _ mask: Int64) -> UInt8 { UInt8(truncatingIfNeeded: ticks >> shift & mask) }
    bytes += [
      prefix << 4 | part(30, 0x07) << 1 | 1, part(22, 0xff), part(15, 0x7f) << 1 | 1, part(7, 0xff), part(0, 0x7f) << 1 | 1,
    ]
  }

  /// Sets the length field, by which a receiver knows the end at once. A long picture has none (§2.4.3.7).
  private static func setLength(_ packet: inout [UInt8]) {
    guard let length = UInt16(exactly: packet.count - 6) else { return }
    packet[4] = UInt8(length >> 8)
    packet[5] = UInt8(length & 0xff)
  }

  // MARK: Packets

  private mutating func writeTables(_ now: Int64, isForced: Bool) {
    guard isForced || lastTables.map({ now - $0 >= Self.tableInterval || now < $0 }) ?? true else { return }
    lastTables = now
    var streams: [ProgramTables.Stream] = []
    if hasVideo { streams.append(.init(type: ProgramTables.h264, pid: Self.videoPID)) }
    if hasAudio { streams.append(.init(type: ProgramTables.adts, pid: Self.audioPID)) }
    let clockPID = hasVideo ? Self.videoPID : Self.audioPID
    for (pid, table) in [
      (ProgramTables.associationPID, ProgramTables.associationSection(mapPID: Self.mapPID)),
      (Self.mapPID, ProgramTables.mapSection(streams, clockPID: clockPID, version: version)),
    ] {
      // A table's payload is filled with 0xff (§2.4.4).
      let payload = [0] + table
      packetise(
        payload + [UInt8](repeating: 0xff, count: max(0, PacketHeader.packetLength - 4 - payload.count)), on: pid, clock: nil,
        isRandomAccess: false)
    }
  }

  /// Writes the clock without a frame if it is due, such as while video is dropped.
  private mutating func writeClock(_ now: Int64) {
    guard let last = lastClock, now - last >= Self.clockInterval else { return }
    lastClock = now
    output += [
      PacketHeader.syncByte, UInt8(Self.videoPID >> 8), UInt8(Self.videoPID & 0xff),
      0x20 | continuities[Self.videoPID, default: 15],
      183, 0x10,
    ]
    output += Self.reference(now)
    output += [UInt8](repeating: 0xff, count: 176)
  }

  private static func reference(_ ticks: Int64) -> [UInt8] {
    func part(_ shift: Int64) -> UInt8 { UInt8(truncatingIfNeeded: ticks >> shift) }
    return [part(25), part(17), part(9), part(1), part(0) << 7 | 0x7e, 0]
  }

  private mutating func packetise(_ payload: [UInt8], on pid: Int, clock: Int64?, isRandomAccess: Bool) {
    var position = 0
    while position < payload.count {
      let isFirst = position == 0
      var adaptation: [UInt8] = []
      if isFirst, clock != nil || isRandomAccess {
        adaptation = [(isRandomAccess ? 0x40 : 0) | (clock != nil ? 0x10 : 0)]
        if let clock { adaptation += Self.reference(clock) }
      }
      let room = PacketHeader.packetLength - 4 - (adaptation.isEmpty ? 0 : adaptation.count + 1)
      let count = min(room, payload.count - position)
      var hasAdaptation = !adaptation.isEmpty
      if count < room {
        hasAdaptation = true
        // The length byte is not counted by itself.
        let length = PacketHeader.packetLength - 4 - count - 1
        if adaptation.isEmpty, length > 0 { adaptation = [0] }
        adaptation += [UInt8](repeating: 0xff, count: max(0, length - adaptation.count))
      }
      let continuity = (continuities[pid, default: 15] + 1) & 0x0f
      continuities[pid] = continuity
      output += [
        PacketHeader.syncByte, (isFirst ? 0x40 : 0) | UInt8(pid >> 8 & 0x1f), UInt8(pid & 0xff),
        (hasAdaptation ? 0x30 : 0x10) | continuity,
      ]
      if hasAdaptation {
        output.append(UInt8(truncatingIfNeeded: adaptation.count))
        output += adaptation
      }
      output += payload[position..<(position + count)]
      position += count
    }
  }
}
