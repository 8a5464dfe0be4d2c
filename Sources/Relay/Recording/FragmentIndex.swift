/// The index at the end of a fragmented MP4 file, which players use to seek (`mfra`, ISO/IEC 14496-12 §8.8.9–8.8.11).
struct FragmentIndex {
  /// Fragments that start with a key frame: its presentation time in units of the track's timescale, and the fragment's offset
  /// in bytes.
  private var entries: [(time: Int64, offset: Int64)] = []

  mutating func add(time: Int64, offset: Int64) { entries.append((time, offset)) }

  /// Returns the boxes; empty if there is nothing to index.
  /// - Parameter track: The ID of the track that contains the key frames.
  func encoded(track: UInt32) -> [UInt8] {
    guard !entries.isEmpty, entries.count < 1 << 24 else { return [] }
    let length = 24 + 19 * entries.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length + 24)
    func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
    func box(_ length: Int, _ name: String) {
      add(UInt32(truncatingIfNeeded: length))
      bytes += name.utf8
    }
    box(8 + length + 16, "mfra")
    box(length, "tfra")
    // Version 1: 64-bit times and offsets.
    add(UInt32(0x0100_0000))
    add(track)
    // The fragment, run and sample numbers take one byte each.
    add(UInt32(0))
    add(UInt32(truncatingIfNeeded: entries.count))
    for entry in entries {
      add(entry.time)
      add(entry.offset)
      bytes += [1, 1, 1]
    }
    box(16, "mfro")
    add(UInt32(0))
    add(UInt32(truncatingIfNeeded: 8 + length + 16))
    return bytes
  }
}
