/// What of a stream can be asked for now: the segments of the playlist, those that have just left it, and the one that grows.
///
/// Bounded by number and by bytes. Segments are named by their numbers, which only grow.
public struct HLSWindow: Sendable {
  /// Whole segments of the playlist, oldest first.
  public private(set) var listed: [HLSSegment] = []
  /// The segment that grows.
  public internal(set) var growing: HLSSegment?
  /// Whether nothing will come any more.
  public private(set) var hasEnded = false
  /// Discontinuities that have left the playlist.
  public private(set) var discontinuities = 0
  /// Seconds: no segment is longer, when rounded. Grows where one is.
  public private(set) var targetDuration: Int
  /// Milliseconds: no part is longer. Grows where one is; nil where parts are not told of.
  public private(set) var partTarget: Int64?
  /// Bytes of all segments that are kept.
  public private(set) var keptBytes = 0

  /// Those that players may still be loading though the playlist has them no more.
  private var left: [HLSSegment] = []
  private var initialisations: [Int: [UInt8]] = [:]
  private let settings: HLSSettings

  init(_ settings: HLSSettings) {
    self.settings = settings
    targetDuration = Int((settings.segmentLength + 500) / 1000)
    partTarget = settings.partLength
  }

  /// Whether there is a playlist to be played.
  public var isPlayable: Bool { !listed.isEmpty || hasEnded }

  // MARK: Asking

  /// A whole segment; nil where it is not there, or not yet.
  public func segment(_ number: Int) -> HLSSegment? {
    listed.first { $0.number == number } ?? left.first { $0.number == number }
  }

  /// The bytes of a part of a segment.
  public func part(_ part: Int, of number: Int) -> [UInt8]? {
    let segment = growing?.number == number ? growing : segment(number)
    guard let segment, segment.parts.indices.contains(part) else { return nil }
    return Array(segment.bytes[segment.parts[part].bytes])
  }

  /// An initialisation section by the number of the segment that it came with.
  public func initialisation(_ number: Int) -> [UInt8]? { initialisations[number] }

  /// Whether the playlist holds this segment whole, or this part of it, or later ones.
  public func reaches(_ number: Int, part: Int?) -> Bool {
    guard !hasEnded else { return true }
    if let last = listed.last, number <= last.number { return true }
    guard let part, let growing else { return false }
    return growing.number > number || growing.number == number && growing.parts.count > part
  }

  /// The number of the segment that grows, or of the next.
  public var nextNumber: Int? { growing?.number ?? listed.last.map { $0.number + 1 } }

  // MARK: Growing

  mutating func keep(initialisation bytes: [UInt8], for number: Int) { initialisations[number] = bytes }

  mutating func append(_ part: [UInt8], duration: Int64, isIndependent: Bool) {
    guard var segment = growing else { return }
    growing = nil
    let start = segment.bytes.count
    segment.bytes += part
    segment.parts.append(HLSPart(bytes: start..<segment.bytes.count, duration: duration, isIndependent: isIndependent))
    growing = segment
    keptBytes += part.count
    if let target = partTarget { partTarget = max(target, duration) }
  }

  /// The growing segment is whole.
  mutating func close(duration: Int64) {
    guard var segment = growing else { return }
    growing = nil
    guard !segment.parts.isEmpty else { return }
    segment.duration = duration
    targetDuration = max(targetDuration, Int((duration + 500) / 1000))
    listed.append(segment)
    forget()
  }

  mutating func end() { hasEnded = true }

  private mutating func forget() {
    while listed.count > settings.window { unlistOldest() }
    // As long as the playlist was, and one more (RFC 8216 §6.2.2).
    while left.count > settings.window + 1 { keptBytes -= left.removeFirst().bytes.count }
    while keptBytes > settings.bytes, !left.isEmpty || listed.count > 1 {
      if left.isEmpty { unlistOldest() }
      keptBytes -= left.removeFirst().bytes.count
    }
    let used = Set((left + listed).map(\.initialisation) + (growing.map { [$0.initialisation] } ?? []))
    if let newest = initialisations.keys.max() {
      initialisations = initialisations.filter { used.contains($0.key) || $0.key == newest }
    }
  }
  private mutating func unlistOldest() {
    let segment = listed.removeFirst()
    if segment.isDiscontinuous { discontinuities += 1 }
    left.append(segment)
  }
}
