import RTMP

/// What a viewer has to have before a stream's media: metadata and the decoders' configurations, each as it is at one point of
/// the stream. Never changed, so that the messages between two changes share one.
final class StreamHeaders: Sendable {
  /// What a header is replaced by: the next of its kind.
  struct Slot: Hashable, Comparable, Sendable {
    /// 0 for metadata, 1 for video, 2 for audio: the order in which viewers get them.
    var kind: Int
    /// Sequence start, HDR, channels.
    var packet: UInt8
    /// Of several tracks.
    var track: UInt8

    static func < (a: Self, b: Self) -> Bool { (a.kind, a.packet, a.track) < (b.kind, b.packet, b.track) }
  }

  struct Header: Sendable {
    var slot: Slot
    /// Larger than that of every header before it.
    var version: Int
    var media: MediaMessage
  }

  /// So many tracks and kinds a stream may have.
  static let limit = 32

  /// In the order in which viewers get them.
  let all: [Header]

  init(_ all: [Header] = []) { self.all = all }

  /// The headers after `media` came for `slot`; the same where nothing changes by it, nil where there are too many.
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

/// What a published message is to the hub.
enum MediaRole {
  case header(StreamHeaders.Slot)
  case keyFrame
  case frame
  /// No message that any player could read.
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
