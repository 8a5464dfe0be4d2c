import RoomCFFmpeg

/// Converts decoded frames, whose format may change at any time, to interleaved 16-bit PCM of one format.
struct SampleConverter {
  let output: AudioFormat
  private var resampler: Resampler?
  private var sampleFormat: Int32 = -1

  init(output: AudioFormat) { self.output = output }

  mutating func convert(_ frame: UnsafeMutablePointer<AVFrame>) throws(CodecError) -> [Int16] {
    let input = AudioFormat(sampleRate: Int(frame.pointee.sample_rate), channels: Int(ff_frame_channels(frame)))
    if resampler?.input != input || sampleFormat != frame.pointee.format {
      resampler = try Resampler(from: input, sampleFormat: AVSampleFormat(frame.pointee.format), to: output)
      sampleFormat = frame.pointee.format
    }
    guard let resampler, let data = frame.pointee.extended_data else { return [] }
    let planes = UnsafeMutableRawPointer(data).assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
    return resampler.convert(planes, count: Int(frame.pointee.nb_samples))
  }

  /// Returns the rest of the stream.
  func flush() -> [Int16] { resampler?.flush() ?? [] }

  /// Discards the stream's state after a seek.
  mutating func restart() { self = SampleConverter(output: output) }
}
