import RoomRTP

/// The 11 bytes before a tag's data (FLV 10.1 §E.4.1).
struct FLVTagHeader {
  static let byteCount = 11

  /// 8, 9 or 18, without the bit that marks encryption.
  var type: MessageType
  var isEncrypted: Bool
  /// The length of the data in bytes.
  var length: Int
  /// The timestamp in milliseconds.
  var timestamp: UInt32

  init?(_ reader: inout ByteReader) {
    guard let first = reader.uint8(), let length = reader.uint24(), let low = reader.uint24(), let high = reader.uint8(),
      reader.uint24() != nil
    else { return nil }
    type = MessageType(rawValue: first & 0x1f)
    isEncrypted = first & 0x20 != 0
    self.length = Int(length)
    timestamp = UInt32(high) << 24 | low
  }
}

/// Writes FLV streams, for HTTP-FLV and for recordings (FLV 10.1 §E.2, §E.3).
public enum FLVStream {
  /// Returns the start of the stream, including the length of the tag before the first, which is 0. The flags are only hints.
  public static func header(hasAudio: Bool, hasVideo: Bool) -> [UInt8] {
    let flags: UInt8 = (hasAudio ? 0x04 : 0) | (hasVideo ? 0x01 : 0)
    return [0x46, 0x4c, 0x56, 1, flags, 0, 0, 0, 9, 0, 0, 0, 0]
  }

  /// Returns a message as a tag, followed by its length. The payload must be smaller than 16 MiB.
  public static func tag(_ media: MediaMessage) -> [UInt8] {
    var tag: [UInt8] = []
    appendTag(media, to: &tag)
    return tag
  }

  /// Appends a message as a tag to `output`, like `tag`.
  public static func appendTag(_ media: MediaMessage, to output: inout [UInt8]) {
    let length = UInt32(truncatingIfNeeded: media.payload.count)
    output.makeRoom(for: FLVTagHeader.byteCount + media.payload.count + 4)
    output.append(media.kind.messageType.rawValue)
    output.append24(length)
    output.append24(media.timestamp)
    output.append(UInt8(truncatingIfNeeded: media.timestamp >> 24))
    output.append24(0)
    output += media.payload
    output.append32(UInt32(FLVTagHeader.byteCount) + length)
  }
}
