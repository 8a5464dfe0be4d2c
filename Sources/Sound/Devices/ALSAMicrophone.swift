import Foundation
import RoomCALSA
public import RoomCodecs
import RoomRTP
import Synchronization

/// Captures from a device of ALSA, without a sound server. A released microphone stops.
public final class ALSAMicrophone: Sendable {
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let failure = Mutex<ALSAError?>(nil)
    let overruns = Atomic<Int>(0)
  }

  private let state = State()

  /// Starts to capture at 48 kHz; ALSA converts what the device does not have.
  /// - Parameters:
  ///   - device: the name of a device (``ALSADevices``).
  ///   - channels: 1 or 2.
  ///   - deliver: gets frames of 10 ms on a thread of the microphone. Their time is that of the capture on the monotonic clock.
  /// - Throws: ``ALSAError`` if the device cannot be opened.
  public init(
    device: String = "default", channels: Int = 1, deliver: @escaping @Sendable (AudioFrame) -> Void
  ) throws(ALSAError) {
    let channels = min(max(channels, 1), 2)
    let input = try Input(device, channels: channels)
    let thread = Thread { [state] in
      input.run(state, channels, deliver)
    }
    thread.name = "microphone"
    thread.start()
  }

  deinit { stop() }

  /// Why capturing ended by itself, for example because the device was unplugged; nil while it runs.
  public var failure: ALSAError? { state.failure.withLock { $0 } }
  /// How often sound was lost because this process did not read in time.
  public var overruns: Int { state.overruns.load(ordering: .relaxed) }

  /// Stops within 10 ms of sound.
  public func stop() { state.isStopped.store(true, ordering: .relaxed) }

  /// The open device. Unchecked: it is made by the caller's thread and from then on used by the microphone's thread alone.
  private final class Input: @unchecked Sendable {
    private let pcm: OpaquePointer
    private let device: String

    init(_ device: String, channels: Int) throws(ALSAError) {
      var opened: OpaquePointer?
      let result = snd_pcm_open(&opened, device, SND_PCM_STREAM_CAPTURE, 0)
      guard result >= 0, let pcm = opened else { throw ALSAError(device, code: result) }
      // A buffer of 60 ms covers a late thread.
      let set = snd_pcm_set_params(
        pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(channels), 48_000, 1, 60_000)
      guard set >= 0 else {
        snd_pcm_close(pcm)
        throw ALSAError(device, code: set)
      }
      (self.pcm, self.device) = (pcm, device)
    }

    deinit { snd_pcm_close(pcm) }

    func run(_ state: State, _ channels: Int, _ deliver: (AudioFrame) -> Void) {
      let format = AudioFormat(sampleRate: 48_000, channels: channels)
      var clock = CaptureClock()
      var samples = [Int16](repeating: 0, count: 480 * channels)
      var filled = 0
      while !state.isStopped.load(ordering: .relaxed) {
        let result = samples.withUnsafeMutableBufferPointer { buffer -> Int in
          guard let start = buffer.baseAddress else { return 0 }
          return snd_pcm_readi(pcm, start + filled * channels, UInt(480 - filled))
        }
        if result < 0 {
          // An overrun loses sound, and a suspended machine pauses it: both continue.
          let recovered = snd_pcm_recover(pcm, Int32(clamping: result), 1)
          if recovered < 0 {
            return state.failure.withLock { $0 = ALSAError(device, code: Int32(clamping: result)) }
          }
          state.overruns.add(1, ordering: .relaxed)
          filled = 0
          continue
        }
        filled += result
        guard filled >= 480 else { continue }
        filled = 0
        var delay = 0
        if snd_pcm_delay(pcm, &delay) < 0 { delay = 0 }
        let waiting = Int64(min(max(delay, 0), 48_000)) * 1_000_000 / 48_000
        let time = clock.start(measured: MonotonicTime.now.advanced(microseconds: -waiting - 10_000))
        deliver(AudioFrame(samples: samples, format: format, timestamp: time))
      }
    }
  }
}
