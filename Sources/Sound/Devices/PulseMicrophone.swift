public import RoomCodecs
import RoomCPulse
import RoomRTP
import Foundation
import Synchronization

/// Captures from a source of PulseAudio or of PipeWire's pulse server: a microphone, or the monitor of an output. A released
/// microphone stops.
public final class PulseMicrophone: Sendable {
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let failure = Mutex<PulseError?>(nil)
  }

  private let state = State()

  /// Starts to capture.
  /// - Parameters:
  ///   - device: the name of a source (``PulseDevices``); nil for the default.
  ///   - server: the address of the sound server; nil for the user's.
  ///   - channels: 1 or 2.
  ///   - deliver: gets frames of 10 ms on a thread of the microphone. Their time is that of the capture on the monotonic clock.
  /// - Throws: ``PulseError`` if the device cannot be opened.
  public init(
    device: String? = nil, server: String? = nil, channels: Int = 1, deliver: @escaping @Sendable (AudioFrame) -> Void
  ) throws(PulseError) {
    let channels = min(max(channels, 1), 2)
    let stream = try PulseStream(
      PA_STREAM_RECORD, server: server, device: device, name: "microphone", channels: channels, latency: 20)
    let state = state
    let thread = Thread {
      var samples = [Int16](repeating: 0, count: 480 * channels)
      let format = AudioFormat(sampleRate: 48_000, channels: channels)
      var clock = CaptureClock()
      while !state.isStopped.load(ordering: .relaxed) {
        do throws(PulseError) {
          try stream.read(&samples)
        } catch {
          state.failure.withLock { $0 = error }
          return
        }
        let time = clock.start(measured: MonotonicTime.now.advanced(microseconds: -stream.latency - 10_000))
        deliver(AudioFrame(samples: samples, format: format, timestamp: time))
      }
    }
    thread.name = "microphone"
    thread.start()
  }

  deinit { stop() }

  /// Why capturing ended by itself, for example because the device was unplugged; nil while it runs.
  public var failure: PulseError? { state.failure.withLock { $0 } }

  /// Stops within 10 ms of sound.
  public func stop() { state.isStopped.store(true, ordering: .relaxed) }
}
