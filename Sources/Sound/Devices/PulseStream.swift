import RoomCodecs
import RoomCPulse

/// A stream of libpulse's simple API: interleaved 16-bit samples at 48 kHz.
///
/// `@unchecked Sendable`: every function of the simple API locks the stream's own main loop, and `deinit` runs after the last.
final class PulseStream: @unchecked Sendable {
  private let stream: OpaquePointer

  /// - Parameters:
  ///   - latency: the duration of the device's buffer in ms.
  init(
    _ direction: pa_stream_direction_t, server: String?, device: String?, name: String, channels: Int, latency: Int
  ) throws(PulseError) {
    var format = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: 48_000, channels: UInt8(channels))
    let bytes = UInt32(latency * 48 * channels * 2)
    let unset = UInt32.max
    var buffer = pa_buffer_attr(
      maxlength: unset, tlength: bytes, prebuf: unset, minreq: unset, fragsize: UInt32(480 * channels * 2))
    var error: Int32 = 0
    guard let stream = pa_simple_new(server, "RoomSound", direction, device, name, &format, nil, &buffer, &error) else {
      throw PulseError(code: error)
    }
    self.stream = stream
  }

  deinit { pa_simple_free(stream) }

  /// The delay between this side and the device in µs; 0 if it is unknown.
  var latency: Int64 {
    var error: Int32 = 0
    let latency = pa_simple_get_latency(stream, &error)
    return error == 0 ? Int64(clamping: latency) : 0
  }

  /// Waits until `samples` is filled.
  func read(_ samples: inout [Int16]) throws(PulseError) {
    var error: Int32 = 0
    let result = samples.withUnsafeMutableBytes { pa_simple_read(stream, $0.baseAddress, $0.count, &error) }
    if result < 0 { throw PulseError(code: error) }
  }

  /// Waits until the device's buffer has space for the samples.
  func write(_ samples: [Int16]) throws(PulseError) {
    var error: Int32 = 0
    let result = samples.withUnsafeBytes { pa_simple_write(stream, $0.baseAddress, $0.count, &error) }
    if result < 0 { throw PulseError(code: error) }
  }
}
