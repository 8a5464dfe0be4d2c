/// One encoded frame: an H.264 access unit in Annex B form, a VP8 frame, or an Opus packet.
public struct EncodedFrame: Sendable, Hashable {
  public var data: [UInt8]
  /// In ticks of the codec's clock: 90 kHz for video, 48 kHz for Opus.
  public var timestamp: UInt32
  /// Decoding may begin here; true for every Opus packet.
  public var isKeyFrame: Bool

  public init(data: [UInt8], timestamp: UInt32, isKeyFrame: Bool) {
    self.data = data
    self.timestamp = timestamp
    self.isKeyFrame = isKeyFrame
  }
}
