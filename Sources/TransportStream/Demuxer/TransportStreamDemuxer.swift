import RoomRTP

/// Reads an MPEG transport stream (ISO/IEC 13818-1): the first stream of pictures and the first stream of sound of one program, in
/// the codecs of ``PictureCodec`` and ``SoundFormat``. Other streams are ignored.
///
/// The tables are followed while they change: a new map may bring other codecs and PIDs. Sans-I/O: after each call of
/// ``receive(_:)``, drain ``nextFrame()``. A lost packet costs its frame; video resumes at the next key frame. Memory is bounded by
/// the largest picture, 4 MiB.
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
    /// Jumps of the stream's clock.
    public var jumps = 0
  }

  /// The last packet of a PID.
  private struct Packet: Equatable {
    var continuity: UInt8
    var sum: UInt64
  }

  private let wanted: Int?
  private var rest: [UInt8] = []
  private var associationSections = SectionAssembler()
  private var mapSections = SectionAssembler()
  private var association = ProgramAssociation()
  private var selected: (number: Int, mapPID: Int)?
  private var map: ProgramTables.Map?
  private var video: PictureTrack?
  private var audio: SoundTrack?
  private var packets: [Int: Packet] = [:]
  private var timeline = ProgramTimeline()
  private var frames: [TransportStreamFrame] = []
  private var nextIndex = 0
  private var counted = Counters()

  /// Creates a demuxer before the first byte.
  /// - Parameter program: the number of the program to read; nil for the first one.
  public init(program: Int? = nil) { wanted = program }

  /// The counters since the start.
  public var counters: Counters {
    var counters = counted
    counters.lost += (video?.lost ?? 0) + (audio?.lost ?? 0)
    counters.malformed += (video?.malformed ?? 0) + (audio?.malformed ?? 0)
    counters.jumps = timeline.jumps
    return counters
  }

  /// The numbers of the stream's programs; nil until its table has arrived.
  public var programs: [Int]? { association.isComplete ? association.programs.map(\.number) : nil }

  /// Whether a program map has been read: the bytes are a transport stream.
  public var hasProgram: Bool { map != nil }

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

  // MARK: Packets

  private mutating func take(_ packet: UnsafeRawBufferPointer) {
    guard let header = PacketHeader(packet) else {
      counted.malformed += 1
      return
    }
    counted.packets += 1
    let pid = header.pid
    // In other packets than those of the clock, the indicator is about the continuity counter alone.
    if header.isDiscontinuity, pid == map?.clockPID { timeline.announceDiscontinuity() }
    guard pid == ProgramTables.associationPID || pid == selected?.mapPID || pid == video?.pid || pid == audio?.pid,
      let range = header.payload
    else { return }
    let payload = packet.part(range.lowerBound, range.count)
    guard follows(header, payload) else { return }
    if pid == ProgramTables.associationPID {
      for section in associationSections.take(payload, startsUnit: header.startsUnit) {
        if let part = ProgramTables.association(section), association.take(part) { selectProgram() }
      }
    } else if pid == selected?.mapPID {
      for section in mapSections.take(payload, startsUnit: header.startsUnit) {
        if let map = ProgramTables.map(section), map.program == selected?.number { follow(map) }
      }
    } else if pid == video?.pid {
      video?.take(payload, startsUnit: header.startsUnit, &timeline) { frames.append($0) }
    } else {
      audio?.take(payload, startsUnit: header.startsUnit, &timeline) { frames.append($0) }
    }
  }

  /// Checks the continuity counter. Returns false for a packet that is a copy of the previous one.
  private mutating func follows(_ header: PacketHeader, _ payload: UnsafeRawBufferPointer) -> Bool {
    let packet = Packet(continuity: header.continuity, sum: Self.sum(payload))
    guard let last = packets.updateValue(packet, forKey: header.pid), !header.isDiscontinuity else { return true }
    if header.continuity == (last.continuity + 1) & 0x0f { return true }
    // A source that loops its file may repeat the counter with other content.
    if packet == last { return false }
    counted.gaps += 1
    switch header.pid {
    case video?.pid: video?.reset()
    case audio?.pid: audio?.reset()
    case selected?.mapPID: mapSections.reset()
    default: associationSections.reset()
    }
    return true
  }

  /// Returns a sum by which copies of a packet are recognised.
  private static func sum(_ payload: UnsafeRawBufferPointer) -> UInt64 {
    guard let base = payload.baseAddress else { return 0 }
    var sum = UInt64(payload.count)
    var position = 0
    while position + 8 <= payload.count {
      sum = (sum ^ base.load64(position)) &* 0x9e37_79b9_7f4a_7c15
      position += 8
    }
    while position < payload.count {
      sum = (sum ^ UInt64(base.load8(position))) &* 0x9e37_79b9_7f4a_7c15
      position += 1
    }
    return sum
  }

  // MARK: Tables

  private mutating func selectProgram() {
    // Until the whole table has arrived, the program that is read may be in the missing part.
    guard association.isComplete || selected == nil else { return }
    guard let program = association.selection(wanted: wanted, current: selected?.number),
      program.mapPID != ProgramTables.associationPID
    else { return }
    if let selected, selected == program { return }
    selected = program
    packets[program.mapPID] = nil
    mapSections.reset()
  }

  private mutating func follow(_ new: ProgramTables.Map) {
    guard new != map else { return }
    let isFirst = map == nil
    map = new
    let streams = new.streams.filter { $0.pid != ProgramTables.associationPID && $0.pid != selected?.mapPID }
    let codecs = streams.map { ($0.pid, StreamCodec($0)) }
    let picture = codecs.lazy.compactMap { pid, codec in if case .picture(let codec) = codec { (pid, codec) } else { nil } }
      .first
    let sound = codecs.lazy.compactMap { pid, codec in if case .sound(let framing) = codec { (pid, framing) } else { nil } }
      .first
    var isChanged = isFirst
    if picture?.0 != video?.pid || picture?.1 != video?.codec {
      video?.reset()
      count(lost: video?.lost, malformed: video?.malformed)
      video = picture.map { PictureTrack(pid: $0.0, codec: $0.1) }
      isChanged = true
    }
    if sound?.0 != audio?.pid || sound?.1 != audio?.framing {
      audio?.reset()
      count(lost: audio?.lost, malformed: audio?.malformed)
      audio = sound.map { SoundTrack(pid: $0.0, framing: $0.1) }
      isChanged = true
    }
    let kept = [ProgramTables.associationPID, selected?.mapPID, video?.pid, audio?.pid]
    packets = packets.filter { kept.contains($0.key) }
    if isChanged { frames.append(.program(hasVideo: video != nil, hasAudio: audio != nil)) }
    state(codecs.map(\.1))
  }

  private mutating func count(lost: Int?, malformed: Int?) {
    counted.lost += lost ?? 0
    counted.malformed += malformed ?? 0
  }

  /// States by name what the program has instead of pictures or sound that are accepted.
  private mutating func state(_ codecs: [StreamCodec]) {
    var names: [String] = []
    var isStated = false
    for codec in codecs {
      switch codec {
      case .unsupported(let name, let isVideo) where isVideo ? video == nil : audio == nil:
        frames.append(.unsupported(name, isVideo: isVideo))
        isStated = true
      case .data(let name): names.append(name)
      default: break
      }
    }
    guard video == nil, audio == nil, !isStated, !names.isEmpty else { return }
    frames.append(.unsupported(names.prefix(4).joined(separator: ", "), isVideo: nil))
  }
}
