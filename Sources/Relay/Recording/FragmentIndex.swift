/// The index at the end of a fragmented MP4 file, by which players seek (`mfra`, ISO/IEC 14496-12 §8.8.9–8.8.11).
struct FragmentIndex {
  /// Fragments that begin with a key frame: when it is shown, in units of the track's timescale, and where the fragment lies.
  private var entries: [(time: Int64, offset: Int64)] = []

  mutating func add(time: Int64, offset: Int64) { entries.append((time, offset)) }

  /// The boxes; empty where there is nothing to index.
  /// - Parameter track: the number of the track whose key frames they are.
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
    // Version 1: times and places of 64 bits.
    add(UInt32(0x0100_0000))
    add(track)
    // The numbers of fragment, run and sample have a byte each.
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
