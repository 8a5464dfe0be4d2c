import RoomRTMP
import RoomRTP

/// Converts the frames of a published track to the samples of MP4, without decoding them. Video starts with a key frame.
struct TrackSamples {
  /// A frame in the form of MP4.
  struct Output: Sendable {
    /// The format at this frame: the last key frame's.
    var format: TrackFormat
    var isKeyFrame: Bool
    /// The duration that the frame itself states, in units of its timescale; nil for video.
    var duration: UInt32?
    var data: [UInt8]
  }

  private var format: TrackFormat?
  private var avc: AVCConfiguration?

  /// Returns nil before a key frame, for a broken frame, and for a codec that is not recorded (AV1).
  mutating func take(_ frame: EncodedFrame, _ payload: PayloadFormat) -> Output? {
    switch payload {
    case .opus:
      guard let packet = frame.data.withUnsafeBytes({ OpusPacket(parsing: $0) }) else { return nil }
      return Output(format: .opus, isKeyFrame: true, duration: UInt32(packet.sampleCount), data: frame.data)
    case .vp8:
      if frame.isKeyFrame { format = TrackFormat(vp8: frame.data) }
    case .vp9:
      if frame.isKeyFrame { format = TrackFormat(vp9: frame.data) }
    case .h264: return take(h264: frame)
    case .av1: return nil
    }
    return format.map { Output(format: $0, isKeyFrame: frame.isKeyFrame, data: frame.data) }
  }

  private mutating func take(h264 frame: EncodedFrame) -> Output? {
    var unit = frame.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0) }
    guard !unit.data.isEmpty else { return nil }
    if frame.isKeyFrame {
      // Parameter sets that are not repeated keep their last value.
      let next = AVCConfiguration(
        sequenceParameters: unit.sequenceParameters.isEmpty ? avc?.sequenceParameters ?? [] : unit.sequenceParameters,
        pictureParameters: unit.pictureParameters.isEmpty ? avc?.pictureParameters ?? [] : unit.pictureParameters)
      guard let next else { return nil }
      avc = next
      format = .h264(next)
      // Those of a later key frame may differ from the file's first.
      unit.insert(next, behind: 0)
    }
    return format.map { Output(format: $0, isKeyFrame: frame.isKeyFrame, data: unit.data) }
  }
}
