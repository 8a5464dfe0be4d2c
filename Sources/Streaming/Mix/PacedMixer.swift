import RoomCodecs
import RoomMixing
import RoomProtocol

/// A mixer whose time is that of one source. The others are delayed a little, so that their jitter makes no gaps.
final class PacedMixer {
  /// The delay of other sources, and the longest that it may grow to, in samples at 48 kHz: 80 and 400 ms.
  private static let delay: Int64 = 3840
  private static let longest: Int64 = 19_200
  /// The capacity of a source in ms.
  private static let capacity = 1000

  private let mixer = AudioMixer<MixSource>()
  private var inputs: [MixSource: AudioInput] = [:]
  private var converter = StereoConverter()
  private var position: Int64 = 0

  /// Adds stereo samples at 48 kHz of another source.
  func write(_ samples: [Int16], of id: TrackID) {
    let input = input(.track(id))
    let next = input.end ?? -1
    let isInTime = next >= position && next <= position + Self.longest
    input.write(samples, from: isInTime ? next : position + Self.delay)
  }

  /// Removes another source.
  func remove(_ id: TrackID) {
    inputs[.track(id)] = nil
    mixer.remove(.track(id))
  }

  /// Returns the sum for a frame of the source that gives the pace, in stereo at 48 kHz.
  func sum(with frame: AudioFrame) throws(CodecError) -> AudioFrame {
    let samples = try converter.samples(of: frame)
    let count = samples.count / AudioInput.channels
    input(.camera).write(samples, from: position)
    mixer.advance(to: position, count: count)
    position += Int64(count)
    return AudioFrame(samples: mixer.mix(), format: .stereo48k, timestamp: frame.timestamp)
  }

  private func input(_ source: MixSource) -> AudioInput {
    if let input = inputs[source] { return input }
    let input = AudioInput(capacity: Self.capacity)
    inputs[source] = input
    mixer.add(source, input)
    return input
  }
}
