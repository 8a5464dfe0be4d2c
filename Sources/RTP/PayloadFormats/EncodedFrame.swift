/// One frame as a codec makes it: a VP8 frame, an H.264 access unit in Annex B form, an Opus packet.
public struct EncodedFrame: Sendable, Hashable {
  /// Annex B with start codes for H.264; else as the codec gives it.
  public var data: [UInt8]
  /// In ticks of the RTP clock: 90,000 a second for video, 48,000 for Opus.
  public var timestamp: UInt32
  /// Whether a decoder can begin with this frame; true for each Opus packet.
  public var isKeyFrame: Bool
  /// How many packets directly before this frame were lost for good: audio fills them in (PLC), video has been told by
  /// `keyFrameNeeded`.
  public var lostBefore: Int
  /// When the packet came that completed the frame; nil for frames of one's own.
  public var completedAt: Instant?

  /// A frame; the last two are set by the receiving side only.
  public init(data: [UInt8], timestamp: UInt32, isKeyFrame: Bool, lostBefore: Int = 0, completedAt: Instant? = nil) {
    self.data = data
    self.timestamp = timestamp
    self.isKeyFrame = isKeyFrame
    self.lostBefore = lostBefore
    self.completedAt = completedAt
  }
}
