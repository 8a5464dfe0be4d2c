/// The program association table and the program map table: ISO/IEC 13818-1 §2.4.4.
enum ProgramTables {
  static let associationPID = 0
  static let h264: UInt8 = 0x1b
  static let adts: UInt8 = 0x0f

  /// An elementary stream of a program.
  struct Stream: Equatable {
    var type: UInt8
    var pid: Int
    /// The descriptors of the stream, §2.6.
    var descriptors: [UInt8] = []
  }

  /// A part of the program association table.
  struct Association: Equatable {
    var version: UInt8
    /// The number of this section, and that of the last one.
    var section: UInt8
    var lastSection: UInt8
    /// The programs with the PIDs of their maps, without the network's own table.
    var programs: [(number: Int, mapPID: Int)]

    static func == (a: Self, b: Self) -> Bool {
      (a.version, a.section, a.lastSection) == (b.version, b.section, b.lastSection)
        && a.programs.elementsEqual(b.programs, by: ==)
    }
  }

  /// A program map.
  struct Map: Equatable {
    var program: Int
    /// The PID of the packets that carry the program clock reference.
    var clockPID: Int
    var streams: [Stream]
  }

  /// Reads a section of the association table; nil if the section is no valid one.
  static func association(_ section: [UInt8]) -> Association? {
    guard section.first == 0, isValid(section) else { return nil }
    var association = Association(version: section[5] >> 1 & 0x1f, section: section[6], lastSection: section[7], programs: [])
    for entry in stride(from: 8, to: section.count - 7, by: 4) {
      let number = Int(section[entry]) << 8 | Int(section[entry + 1])
      guard number != 0 else { continue }
      association.programs.append((number, Int(section[entry + 2] & 0x1f) << 8 | Int(section[entry + 3])))
    }
    return association
  }

  /// Reads a program map; nil if the section is no valid one.
  static func map(_ section: [UInt8]) -> Map? {
    guard section.first == 2, section.count >= 16, isValid(section) else { return nil }
    var map = Map(
      program: Int(section[3]) << 8 | Int(section[4]), clockPID: Int(section[8] & 0x1f) << 8 | Int(section[9]), streams: [])
    let end = section.count - 4
    var entry = 12 + (Int(section[10] & 0x0f) << 8 | Int(section[11]))
    while entry + 5 <= end {
      let next = entry + 5 + (Int(section[entry + 3] & 0x0f) << 8 | Int(section[entry + 4]))
      guard next <= end else { break }
      map.streams.append(
        Stream(
          type: section[entry], pid: Int(section[entry + 1] & 0x1f) << 8 | Int(section[entry + 2]),
          descriptors: Array(section[(entry + 5)..<next])))
      entry = next
    }
    return map
  }

  /// Whether the section is whole and currently applicable.
  private static func isValid(_ section: [UInt8]) -> Bool {
    section.count >= 12 && section[1] & 0x80 != 0 && section[5] & 0x01 != 0 && checksum(section) == 0
  }

  /// Returns the table of one program.
  static func associationSection(mapPID: Int) -> [UInt8] {
    section(0, number: 1, body: [0, 1, 0xe0 | UInt8(mapPID >> 8 & 0x1f), UInt8(mapPID & 0xff)])
  }

  /// Returns the map of a program.
  /// - Parameters:
  ///   - clockPID: the PID of the packets that carry the program clock reference.
  ///   - version: another one for each change of the map, modulo 32.
  static func mapSection(_ streams: [Stream], clockPID: Int, version: UInt8 = 0) -> [UInt8] {
    var body: [UInt8] = [0xe0 | UInt8(clockPID >> 8 & 0x1f), UInt8(clockPID & 0xff), 0xf0, 0]
    for stream in streams {
      body += [stream.type, 0xe0 | UInt8(stream.pid >> 8 & 0x1f), UInt8(stream.pid & 0xff), 0xf0, 0]
    }
    return section(2, number: 1, version: version, body: body)
  }

  private static func section(_ table: UInt8, number: Int, version: UInt8 = 0, body: [UInt8]) -> [UInt8] {
    let length = body.count + 9
    var section: [UInt8] = [table, 0xb0 | UInt8(length >> 8 & 0x0f), UInt8(length & 0xff), 0, UInt8(number & 0xff)]
    section += [0xc1 | (version & 0x1f) << 1, 0, 0]
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
