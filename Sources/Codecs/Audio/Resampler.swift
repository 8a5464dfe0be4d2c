import RoomCFFmpeg

/// Converts the sample rate and channel count of a continuous stream with libswresample. One owner at a time.
public final class Resampler {
  /// The input format.
  public let input: AudioFormat
  /// The output format.
  public let output: AudioFormat
  private let inputSampleFormat: AVSampleFormat
  private var context: OpaquePointer?

  /// - Throws: ``CodecError/invalidSetting(_:)``
  public convenience init(from input: AudioFormat, to output: AudioFormat) throws(CodecError) {
    try self.init(from: input, sampleFormat: AV_SAMPLE_FMT_S16, to: output)
  }

  init(from input: AudioFormat, sampleFormat: AVSampleFormat, to output: AudioFormat) throws(CodecError) {
    try input.check()
    try output.check()
    self.input = input
    self.output = output
    inputSampleFormat = sampleFormat
    context = ff_resampler(
      sampleFormat, Int32(input.sampleRate), Int32(input.channels), AV_SAMPLE_FMT_S16, Int32(output.sampleRate),
      Int32(output.channels))
    guard context != nil else { throw .unavailable(codec: "resampler", reason: "\(input) to \(output)") }
  }

  deinit { swr_free(&context) }

  /// Converts interleaved samples and returns those that are ready. About 16 samples are retained until the next call or
  /// ``flush()``.
  public func process(_ samples: [Int16]) -> [Int16] {
    let count = samples.count / input.channels
    guard count > 0 else { return [] }
    return samples.withUnsafeBytes { bytes in
      var plane = bytes.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) }
      return withUnsafeMutablePointer(to: &plane) { convert($0, count: count) }
    }
  }

  /// Returns the rest of the stream. A new stream may follow.
  public func flush() -> [Int16] { convert(nil, count: 0) }

  /// - Parameter planes: As many pointers as the sample format has planes.
  func convert(_ planes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int) -> [Int16] {
    let room = Int(swr_get_out_samples(context, Int32(clamping: count)))
    guard room > 0 else { return [] }
    return [Int16](unsafeUninitializedCapacity: room * output.channels) { buffer, initialized in
      var target = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: UInt8.self)
      let written = swr_convert(context, &target, Int32(room), planes, Int32(clamping: count))
      initialized = max(0, Int(written)) * output.channels
    }
  }
}
