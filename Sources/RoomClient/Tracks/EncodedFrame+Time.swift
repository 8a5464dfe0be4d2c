import RoomRTP

extension EncodedFrame {
  /// Creates a video frame to send.
  /// - Parameters:
  ///   - data: an H.264 access unit in Annex B form, a VP8 or VP9 frame, or an AV1 temporal unit.
  ///   - time: the capture time on the source's timeline. The time is larger than that of the previous frame.
  ///   - isKeyFrame: whether a decoder can start with the frame.
  public init(video data: [UInt8], at time: MediaTime, isKeyFrame: Bool) {
    self.init(data: data, timestamp: time.rtpTimestamp(rate: 90_000), isKeyFrame: isKeyFrame)
  }

  /// Creates an Opus packet to send.
  /// - Parameters:
  ///   - data: the packet.
  ///   - time: the time of its first sample on the source's timeline.
  public init(opus data: [UInt8], at time: MediaTime) {
    self.init(data: data, timestamp: time.rtpTimestamp(rate: 48_000), isKeyFrame: true)
  }
}
