import RoomRTP

/// The common part of the enhanced audio and video headers: the packet's type and its tracks.
struct EnhancedHeader {
  /// A track of a message: its id, its codec, and the range of its body.
  struct Part {
    var track: UInt8
    var codec: FourCC
    var body: Range<Int>
  }

  var packetType: UInt8
  var multitrack: Multitrack?
  var parts: [Part]

  /// Reads what follows the modifiers. `multitrackType` is the packet type of a message with several tracks.
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

  /// Reads the modifiers before a packet: each has a length, data, its kind, and the type of the packet or of the next
  /// modifier. Returns the packet's type and the nanoseconds to add to the timestamp.
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
      // 0 is the only defined kind: 24 bits of nanoseconds.
      if kinds >> 4 == 0 {
        var value = ByteReader(data)
        nanoseconds = value.uint24() ?? 0
      }
      packetType = kinds & 0x0f
    }
    return (packetType, nanoseconds)
  }

  /// Reads the tracks after the header's common part. `multitrack` is nil if there is only one, without an id.
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
