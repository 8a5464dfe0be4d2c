import RoomRTP

/// Reads an MPEG transport stream (ISO/IEC 13818-1): the first H.264 stream and the first AAC stream with ADTS of its first
/// program. Other streams are ignored.
///
/// Sans-I/O: after each call of ``receive(_:)``, drain ``nextFrame()``. A lost packet costs its frame; video resumes at the next
/// key frame. Memory is bounded by the largest picture, 4 MiB.
public struct TransportStreamDemuxer: Sendable {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    /// Packets with a valid header.
    public var packets = 0
    /// Gaps of the continuity counter.
    public var gaps = 0
    /// Frames that were dropped because a part is missing.
    public var lost = 0
    /// Packets, headers and frames that are invalid.
    public var malformed = 0
  }

  private var rest: [UInt8] = []
  private var association = SectionAssembler()
  private var map = SectionAssembler()
  private var mapPID: Int?
  private var streams: [ProgramTables.Stream]?
  private var videoPID: Int?
  private var audioPID: Int?
  private var video = StreamAssembler(.video)
  private var audio = StreamAssembler(.audio)
  private var continuities: [Int: UInt8] = [:]
  private var clock = TimestampClock()
  private var frames: [TransportStreamFrame] = []
  private var nextIndex = 0
  private var counted = Counters()

  /// Creates a demuxer before the first byte.
  public init() {}

  /// The counters since the start.
  public var counters: Counters {
    var counters = counted
    counters.lost = video.lost + audio.lost
    counters.malformed += video.malformed + audio.malformed
    return counters
  }

  /// Whether a program map has been read: the bytes are a transport stream.
  public var hasProgram: Bool { streams != nil }

  /// Returns the next frame, or nil if there is none.
  public mutating func nextFrame() -> TransportStreamFrame? {
    guard nextIndex < frames.count else {
      frames.removeAll(keepingCapacity: true)
      nextIndex = 0
      return nil
    }
    defer { nextIndex += 1 }
    return frames[nextIndex]
  }

  /// Takes the next bytes of the stream, in pieces of any length.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    let length = PacketHeader.packetLength
    var position = 0
    if !rest.isEmpty {
      let missing = min(length - rest.count, bytes.count)
      rest.append(contentsOf: bytes.part(0, missing))
      position = missing
      guard rest.count == length else { return }
      let packet = rest
      rest = []
      packet.withUnsafeBytes { take($0) }
    }
    while position < bytes.count {
      guard bytes[position] == PacketHeader.syncByte else {
        // Out of step: continues at the next byte that may begin a packet.
        counted.malformed += 1
        position += 1
        while position < bytes.count, bytes[position] != PacketHeader.syncByte { position += 1 }
        continue
      }
      guard bytes.count - position >= length else {
        rest = Array(bytes.part(from: position))
        return
      }
      take(bytes.part(position, length))
      position += length
    }
  }

  private mutating func take(_ packet: UnsafeRawBufferPointer) {
    guard let header = PacketHeader(packet) else {
      counted.malformed += 1
      return
    }
    counted.packets += 1
    guard header.pid == ProgramTables.associationPID || [mapPID, videoPID, audioPID].contains(header.pid),
      let range = header.payload
    else { return }
    let isRepeated = !follows(header)
    guard !isRepeated else { return }
    let payload = packet.part(range.lowerBound, range.count)
    switch header.pid {
    case ProgramTables.associationPID:
      guard let section = association.take(payload, startsUnit: header.startsUnit) else { return }
      if let pid = ProgramTables.mapPID(section) { select(mapPID: pid) }
    case mapPID:
      guard let section = map.take(payload, startsUnit: header.startsUnit) else { return }
      if let streams = ProgramTables.streams(section) { select(streams) }
    case videoPID: video.take(payload, startsUnit: header.startsUnit, &clock) { frames.append($0) }
    default: audio.take(payload, startsUnit: header.startsUnit, &clock) { frames.append($0) }
    }
  }

  /// Checks the continuity counter. Returns false for a packet that is a copy of the previous one.
  private mutating func follows(_ header: PacketHeader) -> Bool {
    defer { continuities[header.pid] = header.continuity }
    guard let last = continuities[header.pid], !header.isDiscontinuity else { return true }
    if header.continuity == last { return false }
    if header.continuity == (last + 1) & 0x0f { return true }
    counted.gaps += 1
    switch header.pid {
    case videoPID: video.reset()
    case audioPID: audio.reset()
    case mapPID: map.reset()
    default: association.reset()
    }
    return true
  }

  private mutating func select(mapPID pid: Int) {
    guard pid != mapPID, pid != ProgramTables.associationPID else { return }
    mapPID = pid
    map.reset()
    continuities[pid] = nil
  }

  private mutating func select(_ streams: [ProgramTables.Stream]) {
    guard streams != self.streams else { return }
    self.streams = streams
    let reserved = [ProgramTables.associationPID, mapPID]
    func pid(_ type: UInt8) -> Int? { streams.first { $0.type == type && !reserved.contains($0.pid) }?.pid }
    let (newVideo, newAudio) = (pid(ProgramTables.h264), pid(ProgramTables.adts))
    if newVideo != videoPID { video.reset() }
    if newAudio != audioPID { audio.reset() }
    (videoPID, audioPID) = (newVideo, newAudio)
    continuities = continuities.filter { [mapPID, ProgramTables.associationPID].contains($0.key) }
    frames.append(.program(hasVideo: newVideo != nil, hasAudio: newAudio != nil))
    for stream in streams {
      guard let (name, isVideo) = Self.unsupported[stream.type], (isVideo ? newVideo : newAudio) == nil else { continue }
      frames.append(.unsupported(name, isVideo: isVideo))
    }
  }

  /// Other codecs by their stream type (ISO/IEC 13818-1 table 2-34).
  private static let unsupported: [UInt8: (String, Bool)] = [
    0x01: ("MPEG-1 video", true), 0x02: ("MPEG-2 video", true), 0x10: ("MPEG-4 video", true), 0x24: ("HEVC", true),
    0x33: ("VVC", true), 0x03: ("MP3", false), 0x04: ("MP3", false), 0x11: ("AAC with LATM", false), 0x81: ("AC-3", false),
    0x87: ("E-AC-3", false),
  ]
}
