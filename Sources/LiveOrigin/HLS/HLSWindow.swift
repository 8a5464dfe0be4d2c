/// The part of a stream that can be requested now: the segments in the playlist, those recently removed from it, and the
/// growing one.
///
/// Bounded in number and bytes. Segments are identified by their numbers, which only increase.
public struct HLSWindow: Sendable {
  /// The complete segments in the playlist, oldest first.
  public private(set) var listed: [HLSSegment] = []
  /// The segment being written.
  public internal(set) var growing: HLSSegment?
  /// Whether the stream has ended.
  public private(set) var hasEnded = false
  /// The number of discontinuities removed from the playlist.
  public private(set) var discontinuities = 0
  /// The maximum rounded segment duration in seconds. Increases if a segment is longer.
  public private(set) var targetDuration: Int
  /// The maximum part duration in ms. Increases if a part is longer; nil if parts are not listed.
  public private(set) var partTarget: Int64?
  /// The size of all kept segments in bytes.
  public private(set) var keptBytes = 0

  /// Segments removed from the playlist that players may still be loading.
  private var left: [HLSSegment] = []
  private var initialisations: [Int: [UInt8]] = [:]
  private let settings: HLSSettings

  init(_ settings: HLSSettings) {
    self.settings = settings
    targetDuration = Int((settings.segmentLength + 500) / 1000)
    partTarget = settings.partLength
  }

  /// Whether there is a playable playlist.
  public var isPlayable: Bool { !listed.isEmpty || hasEnded }

  // MARK: Asking

  /// Returns a complete segment; nil if it is not available.
  public func segment(_ number: Int) -> HLSSegment? {
    listed.first { $0.number == number } ?? left.first { $0.number == number }
  }

  /// Returns the bytes of a part of a segment.
  public func part(_ part: Int, of number: Int) -> [UInt8]? {
    let segment = growing?.number == number ? growing : segment(number)
    guard let segment, segment.parts.indices.contains(part) else { return nil }
    return Array(segment.bytes[segment.parts[part].bytes])
  }

  /// Returns an initialization section by the number of the segment that introduced it.
  public func initialisation(_ number: Int) -> [UInt8]? { initialisations[number] }

  /// Returns whether the playlist contains this complete segment, this part of it, or later ones.
  public func reaches(_ number: Int, part: Int?) -> Bool {
    guard !hasEnded else { return true }
    if let last = listed.last, number <= last.number { return true }
    guard let part, let growing else { return false }
    return growing.number > number || growing.number == number && growing.parts.count > part
  }

  /// The last part: the number of its segment and its index. Nil if there is none.
  public var lastPart: HLSPosition? {
    for segment in [growing, listed.last].compactMap({ $0 }) where !segment.parts.isEmpty {
      return HLSPosition(number: segment.number, part: segment.parts.count - 1)
    }
    return nil
  }

  /// Whether each segment can be decoded without the previous one.
  var isIndependent: Bool {
    (listed + [growing].compactMap { $0 }).allSatisfy { $0.parts.first?.isIndependent ?? true }
  }

  /// The number of the growing segment, or of the next one.
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

  /// Completes the growing segment.
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
    while listed.count > settings.window { removeOldestFromPlaylist() }
    // Kept for the duration of the playlist plus one segment (RFC 8216 §6.2.2).
    while left.count > settings.window + 1 { keptBytes -= left.removeFirst().bytes.count }
    while keptBytes > settings.bytes, !left.isEmpty || listed.count > 1 {
      if left.isEmpty { removeOldestFromPlaylist() }
      keptBytes -= left.removeFirst().bytes.count
    }
    let used = Set((left + listed).map(\.initialisation) + (growing.map { [$0.initialisation] } ?? []))
    if let newest = initialisations.keys.max() {
      initialisations = initialisations.filter { used.contains($0.key) || $0.key == newest }
    }
  }
  private mutating func removeOldestFromPlaylist() {
    let segment = listed.removeFirst()
    if segment.isDiscontinuous { discontinuities += 1 }
    left.append(segment)
  }
}
