/// The packets of an Ogg file with one stream (RFC 3533).
enum OggPackets {
  /// Returns the complete packets in order, including the headers. Stops at data that is not a page.
  static func packets(of file: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    var position = 0
    while position + 27 <= file.count, file[position..<position + 4].elementsEqual("OggS".utf8) {
      let segments = Int(file[position + 26])
      var place = position + 27 + segments
      guard place <= file.count else { break }
      for segment in file[(position + 27)..<place] {
        guard place + Int(segment) <= file.count else { return packets }
        packet += file[place..<place + Int(segment)]
        place += Int(segment)
        // A segment of 255 bytes continues in the next one.
        guard segment < 255 else { continue }
        packets.append(packet)
        packet = []
      }
      position = place
    }
    return packets
  }
}
