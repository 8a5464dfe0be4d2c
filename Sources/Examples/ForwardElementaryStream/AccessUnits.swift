/// Splits an H.264 byte stream (Annex B) into access units without decoding it (ITU-T H.264 §7.4.1.2.3).
///
/// A new access unit begins with a delimiter, or with parameter sets or SEI after a slice. A unit also begins with a slice
/// whose `first_mb_in_slice` is 0 after another slice.
struct AccessUnits {
  /// More bytes than any level of H.264 allows for one picture. Longer input is not an H.264 stream.
  static let largestUnit = 8 << 20

  private var pending: [UInt8] = []
  /// The offset in `pending` from which the search for the next start code continues.
  private var searched = 0
  private var unit: [UInt8] = []
  private var hasSlice = false
  private var isKeyFrame = false

  /// An access unit with its start codes.
  struct Unit {
    var data: [UInt8]
    /// Whether it has an IDR slice, so that decoding can begin with it.
    var isKeyFrame: Bool
  }

  /// Adds the next bytes of the stream. Returns the completed access units, or nil if the input cannot be H.264.
  mutating func append(_ bytes: some Sequence<UInt8>) -> [Unit]? {
    pending.append(contentsOf: bytes)
    var units: [Unit] = []
    // What follows the last start code may be incomplete.
    while let start = startCode(from: max(3, searched)) {
      take(NALUnit: pending[..<start], into: &units)
      pending.removeFirst(start)
      searched = 0
    }
    searched = max(0, pending.count - 3)
    return pending.count + unit.count > Self.largestUnit ? nil : units
  }

  /// Ends the stream. Returns the remaining access units.
  mutating func finish() -> [Unit] {
    var units: [Unit] = []
    take(NALUnit: pending[...], into: &units)
    pending = []
    flush(into: &units)
    return units
  }

  /// Returns the offset of the next 00 00 01, including a zero before it.
  private func startCode(from offset: Int) -> Int? {
    guard pending.count >= 3 else { return nil }
    var position = offset
    while position + 3 <= pending.count {
      if pending[position] == 0, pending[position + 1] == 0, pending[position + 2] == 1 {
        return pending[position - 1] == 0 ? position - 1 : position
      }
      position += 1
    }
    return nil
  }

  private mutating func take(NALUnit bytes: ArraySlice<UInt8>, into units: inout [Unit]) {
    guard let header = bytes.firstIndex(of: 1), header + 1 < bytes.endIndex else { return }
    let type = bytes[header + 1] & 0x1F
    let isSlice = type == 1 || type == 5
    // first_mb_in_slice is an Exp-Golomb number: zero is the single bit 1.
    let beginsPicture = isSlice && header + 2 < bytes.endIndex && bytes[header + 2] & 0x80 != 0
    if hasSlice, beginsPicture || (6...9).contains(type) || (14...18).contains(type) { flush(into: &units) }
    unit.append(contentsOf: [0, 0, 0, 1])
    unit.append(contentsOf: bytes[(header + 1)...])
    hasSlice = hasSlice || isSlice
    isKeyFrame = isKeyFrame || type == 5
  }

  private mutating func flush(into units: inout [Unit]) {
    if hasSlice { units.append(Unit(data: unit, isKeyFrame: isKeyFrame)) }
    if hasSlice { unit = [] }
    hasSlice = false
    isKeyFrame = false
  }
}
