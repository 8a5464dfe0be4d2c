/// Assembles the sections of one PID. A section has at most 1024 bytes.
struct SectionAssembler {
  private static let longest = 1024

  private var bytes: [UInt8]?

  mutating func reset() { bytes = nil }

  /// Takes the payload of the next packet. Returns the sections that are complete.
  mutating func take(_ payload: UnsafeRawBufferPointer, startsUnit: Bool) -> [[UInt8]] {
    guard startsUnit else {
      bytes?.append(contentsOf: payload)
      return drain()
    }
    // The pointer is the length of the last section's end, which precedes the first section that begins here (§2.4.4.1).
    guard let pointer = payload.first.map(Int.init), pointer + 1 < payload.count else {
      bytes = nil
      return []
    }
    bytes?.append(contentsOf: payload[1..<(1 + pointer)])
    let last = drain()
    bytes = Array(payload.dropFirst(pointer + 1))
    return last + drain()
  }

  private mutating func drain() -> [[UInt8]] {
    guard var rest = bytes?[...] else { return [] }
    var sections: [[UInt8]] = []
    while rest.count >= 3 {
      let at = rest.startIndex
      let length = 3 + (Int(rest[at + 1] & 0x0f) << 8 | Int(rest[at + 2]))
      // A table id of 0xff begins the filling.
      guard rest[at] != 0xff, length <= Self.longest else {
        bytes = nil
        return sections
      }
      guard length <= rest.count else { break }
      sections.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    bytes = rest.isEmpty || rest.first == 0xff ? nil : Array(rest)
    return sections
  }
}
