import RoomRTMP

/// The headers that viewers need before a stream's media: metadata and decoder configurations, as of one point of the stream.
/// Immutable, so that the messages between two changes share one instance.
final class StreamHeaders: Sendable {
  /// The slot of a header. A new header replaces the one in its slot.
  struct Slot: Hashable, Comparable, Sendable {
    /// 0 for metadata, 1 for video, 2 for audio: the order in which viewers receive them.
    var kind: Int
    /// The packet type: sequence start, HDR metadata, channel configuration.
    var packet: UInt8
    /// The track ID of a multitrack stream.
    var track: UInt8

    static func < (a: Self, b: Self) -> Bool { (a.kind, a.packet, a.track) < (b.kind, b.packet, b.track) }
  }

  struct Header: Sendable {
    var slot: Slot
    /// Higher than the version of every earlier header.
    var version: Int
    var media: MediaMessage
  }

  /// The maximum number of headers per stream.
  static let limit = 32

  /// The headers in the order in which viewers receive them.
  let all: [Header]

  init(_ all: [Header] = []) { self.all = all }

  /// Returns the headers after `media` arrived for `slot`: the same instance if nothing changed, nil if there are too many.
  func replacing(_ slot: Slot, by media: MediaMessage, version: Int) -> StreamHeaders? {
    var all = all
    if let index = all.firstIndex(where: { $0.slot == slot }) {
      guard all[index].media.payload != media.payload else { return self }
      all[index] = Header(slot: slot, version: version, media: media)
    } else {
      guard all.count < Self.limit else { return nil }
      all.append(Header(slot: slot, version: version, media: media))
      all.sort { $0.slot < $1.slot }
    }
    return StreamHeaders(all)
  }
}

/// How the hub treats a published message.
enum MediaRole {
  case header(StreamHeaders.Slot)
  case keyFrame
  case frame
  /// A message that no player can read.
  case malformed

  init(_ media: MediaMessage) {
    self = media.payload.withUnsafeBytes { payload in
      switch media.kind {
      case .data: Self.isMetadata(payload) ? .header(.init(kind: 0, packet: 0, track: 0)) : .frame
      case .video:
        switch VideoTag(parsing: payload) {
        case nil: .malformed
        case let tag? where tag.isSequenceHeader || tag.packetType == .metadata:
          .header(.init(kind: 1, packet: tag.packetType.rawValue, track: tag.track.id))
        case let tag?: tag.isKeyFrame ? .keyFrame : .frame
        }
      case .audio:
        switch AudioTag(parsing: payload) {
        case nil: .malformed
        case let tag? where tag.isSequenceHeader || tag.packetType == .multichannelConfig:
          .header(.init(kind: 2, packet: tag.packetType.rawValue, track: tag.track.id))
        case .some: .frame
        }
      }
    }
  }

  private static let metadataName = [0x02, 0x00, 0x0a] + Array("onMetaData".utf8)

  private static func isMetadata(_ payload: UnsafeRawBufferPointer) -> Bool { payload.starts(with: metadataName) }
}
