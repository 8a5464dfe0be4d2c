/// One encoded frame: a VP8 or VP9 frame, an AV1 temporal unit, an H.264 access unit in Annex B form, or an Opus packet.
public struct EncodedFrame: Sendable, Hashable {
  /// The encoded bytes: Annex B with start codes for H.264, the codec's own format otherwise.
  public var data: [UInt8]
  /// The RTP timestamp: ``MediaTime`` in ticks modulo 2³², 90,000 per second for video, 48,000 for Opus.
  ///
  /// A sender may start anywhere. The timestamps of two tracks have no common start: receivers align tracks by the time of
  /// sending, which sender reports relate to the ticks.
  public var timestamp: UInt32
  /// Whether a decoder can start with this frame; true for every Opus packet.
  public var isKeyFrame: Bool
  /// Of a VP8 frame to send: its temporal layer; nil if the stream has none.
  public var temporalLayer: VP8TemporalLayer?
  /// The number of packets directly before this frame that were lost for good. Audio conceals them (PLC); video has already
  /// received `keyFrameNeeded`.
  public var lostBefore: Int
  /// The arrival time of the packet that completed the frame; nil for locally produced frames.
  public var completedAt: Instant?

  /// Creates a frame. Only a sender sets `temporalLayer`, and only the receiving side the last two parameters.
  public init(
    data: [UInt8], timestamp: UInt32, isKeyFrame: Bool, temporalLayer: VP8TemporalLayer? = nil, lostBefore: Int = 0,
    completedAt: Instant? = nil
  ) {
    self.data = data
    self.timestamp = timestamp
    self.isKeyFrame = isKeyFrame
    self.temporalLayer = temporalLayer
    self.lostBefore = lostBefore
    self.completedAt = completedAt
  }
}
