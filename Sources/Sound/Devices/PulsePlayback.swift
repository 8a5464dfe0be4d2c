import RoomCPulse
import Foundation
import Synchronization

/// Plays on a sink of PulseAudio or of PipeWire's pulse server, at the device's pace. A released playback stops.
public final class PulsePlayback: Sendable {
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let failure = Mutex<PulseError?>(nil)
    let latency = Atomic<Int64>(0)
  }

  private let state = State()

  /// Starts to play.
  /// - Parameters:
  ///   - device: the name of a sink (``PulseDevices``); nil for the default.
  ///   - server: the address of the sound server; nil for the user's.
  ///   - latency: the duration of the device's buffer in ms, 20…500.
  ///   - fill: fills 10 ms, 960 interleaved stereo samples at 48 kHz, on a thread of the playback. The closure must not block.
  /// - Throws: ``PulseError`` if the device cannot be opened.
  public init(
    device: String? = nil, server: String? = nil, latency: Int = 40, fill: @escaping @Sendable (inout [Int16]) -> Void
  ) throws(PulseError) {
    let stream = try PulseStream(
      PA_STREAM_PLAYBACK, server: server, device: device, name: "playback", channels: 2, latency: min(max(latency, 20), 500))
    let state = state
    let thread = Thread {
      var samples = [Int16](repeating: 0, count: 960)
      while !state.isStopped.load(ordering: .relaxed) {
        fill(&samples)
        do throws(PulseError) {
          try stream.write(samples)
        } catch {
          state.failure.withLock { $0 = error }
          return
        }
        state.latency.store(stream.latency, ordering: .relaxed)
      }
    }
    thread.name = "playback"
    thread.start()
  }

  deinit { stop() }

  /// Why playing ended by itself, for example because the device was unplugged; nil while it runs.
  public var failure: PulseError? { state.failure.withLock { $0 } }
  /// The time in µs until a sample that is written now is audible.
  public var latency: Int64 { state.latency.load(ordering: .relaxed) }

  /// Stops within 10 ms of sound.
  public func stop() { state.isStopped.store(true, ordering: .relaxed) }
}
