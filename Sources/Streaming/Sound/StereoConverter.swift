import RoomCodecs

/// Converts PCM of any format to stereo at 48 kHz. One owner at a time.
struct StereoConverter {
  private var resampler: Resampler?

  mutating func samples(of frame: AudioFrame) throws(CodecError) -> [Int16] {
    if frame.format == .stereo48k { return frame.samples }
    guard frame.format.channels == 1 else { return try resampled(frame, to: .stereo48k) }
    // The resampler would lower the level of a single channel by 3 dB.
    let mono = frame.format == .mono48k ? frame.samples : try resampled(frame, to: .mono48k)
    var stereo: [Int16] = []
    stereo.reserveCapacity(mono.count * 2)
    for sample in mono {
      stereo.append(sample)
      stereo.append(sample)
    }
    return stereo
  }

  private mutating func resampled(_ frame: AudioFrame, to format: AudioFormat) throws(CodecError) -> [Int16] {
    if resampler?.input != frame.format { resampler = try Resampler(from: frame.format, to: format) }
    return resampler?.process(frame.samples) ?? []
  }
}
