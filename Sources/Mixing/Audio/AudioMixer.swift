import RoomCodecs

/// Mixes sources on the media clock's grid of 48 kHz stereo. Each has a gain that changes without a click, and the sum is
/// limited to the valid range.
///
/// Time is passed as grid positions: the caller reads consecutive blocks of samples. One owner at a time.
public final class AudioMixer<ID: Hashable> {
  /// A source and its gain.
  private final class Channel {
    let input: AudioInput
    /// The target gain.
    var target: Float
    /// The current gain, which moves towards the target.
    var gain: Float = 0
    var isLeaving = false
    /// The last block read, with its gain applied.
    var block: [Float] = []

    init(_ input: AudioInput, _ target: Float) {
      self.input = input
      self.target = target
    }

    /// Reads the next block and moves the gain towards the target within it.
    func read(at position: Int64, count: Int, ramp: Float) {
      if block.count == count * AudioInput.channels {
        block.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
      } else {
        block = [Float](repeating: 0, count: count * AudioInput.channels)
      }
      let (from, target) = (gain, target)
      let step = (target > from ? 1 : -1) / ramp
      func glide(_ index: Int) -> Float {
        let value = from + step * Float(index + 1)
        return step > 0 ? min(value, target) : max(value, target)
      }
      let isSteady = from == target
      block.withUnsafeMutableBufferPointer { block in
        input.read(at: position, count: count) { index, left, right in
          let factor = isSteady ? target : glide(index)
          block[index * 2] = Float(left) * factor
          block[index * 2 + 1] = Float(right) * factor
        }
      }
      if !isSteady { gain = glide(count - 1) }
    }
  }

  /// The number of samples for a gain change from 0 to 1: 20 ms.
  private static var ramp: Float { 960 }

  private var channels: [ID: Channel] = [:]
  private var sum: [Float] = []
  private var limiters: [ID?: SoftLimiter] = [:]

  /// Creates a mixer without sources, which outputs silence.
  public init() {}

  /// The sources in the mix.
  public var sources: Set<ID> { Set(channels.filter { !$0.value.isLeaving }.keys) }

  /// Adds a source, which fades in.
  /// - Parameter gain: 0…4; 1 leaves the volume unchanged.
  public func add(_ id: ID, _ input: AudioInput, gain: Float = 1) {
    channels[id] = Channel(input, Self.clamped(gain))
  }

  /// Sets the gain of a source, within 20 ms; 0 mutes it.
  public func setGain(_ gain: Float, of id: ID) { channels[id]?.target = Self.clamped(gain) }

  /// Removes a source, which fades out within the next block.
  public func remove(_ id: ID) {
    channels[id]?.target = 0
    channels[id]?.isLeaving = true
    limiters[id] = nil
  }

  private static func clamped(_ gain: Float) -> Float { gain.isFinite ? min(max(gain, 0), 4) : 1 }

  /// Reads the next block of all sources. Positions must increase from call to call. Then call `mix()` or `mix(without:)`.
  /// - Parameters:
  ///   - position: The grid position of the first sample.
  ///   - count: The number of samples per channel.
  public func advance(to position: Int64, count: Int) {
    sum = [Float](repeating: 0, count: count * AudioInput.channels)
    for (id, channel) in channels {
      channel.read(at: position, count: count, ramp: Self.ramp)
      sum.withUnsafeMutableBufferPointer { sum in
        channel.block.withUnsafeBufferPointer { block in
          for index in sum.indices { sum[index] += block[index] }
        }
      }
      if channel.isLeaving, channel.gain == 0 { channels[id] = nil }
    }
  }

  /// Returns the mix of all sources for the last block, interleaved.
  public func mix() -> [Int16] { limited(sum, for: nil) }

  /// Returns the mix of the last block without one source, for that source's own listener.
  public func mix(without id: ID) -> [Int16] { mix(without: CollectionOfOne(id)) }

  /// Returns the mix of the last block without these sources, for the participant that they belong to.
  public func mix(without ids: some Collection<ID>) -> [Int16] {
    var rest = sum
    for id in ids {
      guard let own = channels[id]?.block, own.count == rest.count else { continue }
      for index in rest.indices { rest[index] -= own[index] }
    }
    return limited(rest, for: ids.first)
  }

  private func limited(_ samples: [Float], for id: ID?) -> [Int16] {
    limiters[id, default: SoftLimiter()].process(samples)
  }
}
