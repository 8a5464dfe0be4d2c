import RTP

/// What the enhanced headers of audio and video have in common: the packet's type, and its tracks.
struct EnhancedHeader {
  /// A track of a message: its number, its codec, and where its body lies.
  struct Part {
    var track: UInt8
    var codec: FourCC
    var body: Range<Int>
  }

  var packetType: UInt8
  var multitrack: Multitrack?
  var parts: [Part]

  /// Reads what stands behind the modifiers. `multitrackType` is the type that says that several tracks follow.
  init?(_ reader: inout ByteReader, packetType: UInt8, multitrackType: UInt8) {
    self.packetType = packetType
    if packetType == multitrackType {
      guard let byte = reader.uint8(), let multitrack = Multitrack(rawValue: byte >> 4) else { return nil }
      self.multitrack = multitrack
      self.packetType = byte & 0x0f
    }
    guard let parts = Self.parts(&reader, multitrack: multitrack) else { return nil }
    self.parts = parts
  }

  /// Modifiers in front of a packet: each has a length, data, its kind, and the packet's type or that of the next modifier.
  /// Gives the packet's type and the nanoseconds to be added to the timestamp.
  static func modifiers(_ reader: inout ByteReader, packetType: UInt8) -> (packetType: UInt8, nanoseconds: UInt32)? {
    var packetType = packetType
    var nanoseconds: UInt32 = 0
    while packetType == 7 {
      guard let short = reader.uint8() else { return nil }
      var length = Int(short) + 1
      if length == 256 {
        guard let long = reader.uint16() else { return nil }
        length = Int(long) + 1
      }
      guard let data = reader.bytes(length), let kinds = reader.uint8() else { return nil }
      // 0 is the only kind defined: 24 bits of nanoseconds.
      if kinds >> 4 == 0 {
        var value = ByteReader(data)
        nanoseconds = value.uint24() ?? 0
      }
      packetType = kinds & 0x0f
    }
    return (packetType, nanoseconds)
  }

  /// The tracks behind the header's common part. `multitrack` is nil where there is but one, with no number.
  private static func parts(_ reader: inout ByteReader, multitrack: Multitrack?) -> [Part]? {
    guard let multitrack else {
      guard let code = reader.uint32() else { return nil }
      return [Part(track: 0, codec: FourCC(rawValue: code), body: reader.position..<(reader.position + reader.rest.count))]
    }
    var shared: FourCC?
    if multitrack != .manyTracksManyCodecs {
      guard let code = reader.uint32() else { return nil }
      shared = FourCC(rawValue: code)
    }
    var parts: [Part] = []
    repeat {
      var codec = shared
      if codec == nil { codec = reader.uint32().map(FourCC.init(rawValue:)) }
      guard let codec, let track = reader.uint8() else { return nil }
      var length = reader.rest.count
      if multitrack != .oneTrack {
        guard let announced = reader.uint24() else { return nil }
        length = Int(announced)
      }
      let start = reader.position
      guard reader.bytes(length) != nil else { return nil }
      parts.append(Part(track: track, codec: codec, body: start..<(start + length)))
    } while multitrack != .oneTrack && !reader.isAtEnd
    return parts
  }
}
