import RoomRTP

/// The sound of a program: assembles its PES packets, and divides them into frames, which may begin in one packet and end in the
/// next.
struct SoundTrack {
  /// The largest PES packet in bytes.
  private static let longest = 70_000

  let pid: Int
  var framing: SoundFraming { parser.framing }
  private var parser: SoundParser
  private var packets = PESAssembler(longest: longest)
  /// The begin of a unit that ends in the next PES packet.
  private var partial: [UInt8] = []
  /// The time of the next frame, by the durations of those before.
  private var next: MediaTime?
  /// Whether the next bytes begin a unit for certain. If not, a header is accepted only if another header follows its unit.
  private var isAligned = false
  private(set) var lost = 0
  private(set) var malformed = 0

  init(pid: Int, framing: SoundFraming) {
    self.pid = pid
    parser = SoundParser(framing)
  }

  /// Drops the current packet because a part is missing.
  mutating func reset() {
    if packets.reset() { lost += 1 }
    (partial, next, isAligned) = ([], nil, false)
  }

  /// Takes the payload of the next packet.
  mutating func take(
    _ payload: UnsafeRawBufferPointer, startsUnit: Bool, _ timeline: inout ProgramTimeline,
    _ found: (TransportStreamFrame) -> Void
  ) {
    for outcome in packets.take(payload, startsUnit: startsUnit) {
      guard case .packet(let packet) = outcome else {
        malformed += 1
        (partial, next, isAligned) = ([], nil, false)
        continue
      }
      divide(packet.payload, packet.presentation.map { timeline.soundTime(of: $0) }, &timeline, found)
    }
  }

  private mutating func divide(
    _ payload: ArraySlice<UInt8>, _ presentation: MediaTime?, _ timeline: inout ProgramTimeline,
    _ found: (TransportStreamFrame) -> Void
  ) {
    // The timestamp is that of the first unit that begins in this PES packet (§2.4.3.7).
    var time = partial.isEmpty ? presentation ?? next : next
    var stamp = partial.isEmpty ? nil : presentation
    var rest = partial.isEmpty ? payload : (partial + payload)[...]
    partial = []
    defer { next = stamp ?? time }
    while !rest.isEmpty {
      let extent = parser.extent(rest)
      if extent == .incomplete {
        partial = Array(rest)
        return
      }
      guard case .bytes(let length) = extent, isAligned || isHeader(rest.dropFirst(length)) else {
        malformed += 1
        isAligned = false
        guard let candidate = rest.dropFirst().firstIndex(of: parser.firstByte) else { return }
        rest = rest[candidate...]
        continue
      }
      isAligned = true
      var duration: Int64?
      switch parser.read(rest.prefix(length)) {
      case .frames(let frames, let format, let lasting):
        duration = lasting.map { $0 * Int64(frames.count) }
        for (index, frame) in frames.enumerated() {
          guard let format, let time, let lasting else { break }
          let at = time.advanced(microseconds: lasting * Int64(index))
          if timeline.admits(soundAt: at, lasting: lasting) { found(.sound(frame, format, at: at)) }
        }
      case .malformed: malformed += 1
      case .refused(let name): found(.unsupported(name, isVideo: false))
      }
      let known = duration
      time = stamp ?? time.flatMap { time in known.map { time.advanced(microseconds: $0) } }
      stamp = nil
      rest = rest.dropFirst(length)
    }
  }

  /// Whether a unit may begin here. The bytes may end here as well.
  private func isHeader(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.isEmpty || parser.extent(bytes) != .invalid }
}
