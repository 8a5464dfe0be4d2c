/// The program association table and the program map table: ISO/IEC 13818-1 §2.4.4.
enum ProgramTables {
  static let associationPID = 0
  static let h264: UInt8 = 0x1b
  static let adts: UInt8 = 0x0f

  /// An elementary stream of a program.
  struct Stream: Equatable {
    var type: UInt8
    var pid: Int
  }

  /// Returns the PID of the first program's map; nil if the section is no valid table.
  static func mapPID(_ section: [UInt8]) -> Int? {
    guard section.first == 0, isValid(section) else { return nil }
    for entry in stride(from: 8, to: section.count - 7, by: 4) where section[entry] != 0 || section[entry + 1] != 0 {
      return Int(section[entry + 2] & 0x1f) << 8 | Int(section[entry + 3])
    }
    return nil
  }

  /// Returns the streams of a program; nil if the section is no valid table.
  static func streams(_ section: [UInt8]) -> [Stream]? {
    guard section.first == 2, section.count >= 16, isValid(section) else { return nil }
    var streams: [Stream] = []
    var entry = 12 + (Int(section[10] & 0x0f) << 8 | Int(section[11]))
    while entry + 5 <= section.count - 4 {
      streams.append(Stream(type: section[entry], pid: Int(section[entry + 1] & 0x1f) << 8 | Int(section[entry + 2])))
      entry += 5 + (Int(section[entry + 3] & 0x0f) << 8 | Int(section[entry + 4]))
    }
    return streams
  }

  /// Whether the section is whole and currently applicable.
  private static func isValid(_ section: [UInt8]) -> Bool {
    section.count >= 12 && section[1] & 0x80 != 0 && section[5] & 0x01 != 0 && checksum(section) == 0
  }

  /// Returns the table of one program.
  static func association(mapPID: Int) -> [UInt8] {
    section(0, number: 1, body: [0, 1, 0xe0 | UInt8(mapPID >> 8 & 0x1f), UInt8(mapPID & 0xff)])
  }

  /// Returns the map of a program.
  /// - Parameter clockPID: the PID of the packets that carry the program clock reference.
  static func map(_ streams: [Stream], clockPID: Int) -> [UInt8] {
    var body: [UInt8] = [0xe0 | UInt8(clockPID >> 8 & 0x1f), UInt8(clockPID & 0xff), 0xf0, 0]
    for stream in streams {
      body += [stream.type, 0xe0 | UInt8(stream.pid >> 8 & 0x1f), UInt8(stream.pid & 0xff), 0xf0, 0]
    }
    return section(2, number: 1, body: body)
  }

  private static func section(_ table: UInt8, number: Int, body: [UInt8]) -> [UInt8] {
    let length = body.count + 9
    var section: [UInt8] = [table, 0xb0 | UInt8(length >> 8 & 0x0f), UInt8(length & 0xff), 0, UInt8(number & 0xff), 0xc1, 0, 0]
    section += body
    let sum = checksum(section)
    for shift in [24, 16, 8, 0] { section.append(UInt8(truncatingIfNeeded: sum >> UInt32(shift))) }
    return section
  }

  /// The CRC of annex A. That of a section with its own CRC is 0.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
    }
    return sum
  }
}

/// Assembles the sections of one PID. A section has at most 1024 bytes.
struct SectionAssembler {
  private var bytes: [UInt8]?

  mutating func reset() { bytes = nil }

  /// Takes the payload of the next packet. Returns a section that is complete.
  mutating func take(_ payload: UnsafeRawBufferPointer, startsUnit: Bool) -> [UInt8]? {
    if startsUnit {
      guard let pointer = payload.first, Int(pointer) + 1 < payload.count else {
        bytes = nil
        return nil
      }
      // Tables of live streams do not share packets: what precedes the pointer belongs to an older version.
      bytes = Array(payload.dropFirst(Int(pointer) + 1))
    } else {
      bytes?.append(contentsOf: payload)
    }
    guard let current = bytes, current.count >= 3 else { return nil }
    let length = 3 + (Int(current[1] & 0x0f) << 8 | Int(current[2]))
    guard length <= 1024 else {
      bytes = nil
      return nil
    }
    guard current.count >= length else { return nil }
    bytes = nil
    return Array(current.prefix(length))
  }
}
