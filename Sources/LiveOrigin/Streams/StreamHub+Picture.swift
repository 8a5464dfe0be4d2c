public import RoomCodecs
import RoomRTMP

extension StreamHub {
  /// More messages than a hub keeps in front of a key frame.
  private static let most = 10_000

  /// Decodes the newest key frame, which takes some milliseconds.
  /// - Returns: nil if the stream has no key frame, or none that can be decoded.
  public func stillPicture() -> VideoFrame? {
    guard let viewer = join(.init(wantsAudio: false)) else { return nil }
    var decoder: ConfiguredVideoDecoder?
    for _ in 0..<Self.most {
      guard case .media(let media) = viewer.next() else { return nil }
      let payload = media.media.payload
      guard media.media.kind == .video, let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }), tag.track.id == 0
      else { continue }
      if let track = FragmentedMP4.Track(tag, payload) {
        decoder = try? ConfiguredVideoDecoder(track.codec, configuration: track.configuration)
      }
      if !tag.isSequenceHeader, tag.isKeyFrame, let decoder {
        return try? (decoder.decode(payload[tag.track.body], timestamp: media.time) + decoder.finish()).first
      }
    }
    return nil
  }
}
