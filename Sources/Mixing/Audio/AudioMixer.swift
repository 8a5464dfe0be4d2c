/// Sums sources on the media clock's grid of 48 kHz stereo, each with a gain that changes without a click, and keeps the sum within range.
///
/// Time is passed in as positions on the grid: the caller reads blocks of samples one after the other. One owner at a time.
public final class AudioMixer<ID: Hashable> {
  /// What a source gives and how loud it is.
  private final class Channel {
    let input: AudioInput
    /// As wanted.
    var target: Float
    /// As it is now; moves towards the target.
    var gain: Float = 0
    var isLeaving = false
    /// The last block as it was read, with its gain.
    var block: [Float] = []

    init(_ input: AudioInput, _ target: Float) {
      self.input = input
      self.target = target
    }

    /// Reads the next block, and glides towards the target within it.
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

  /// A change of gain from nothing to all takes so many samples: 20 ms.
  private static var ramp: Float { 960 }

  private var channels: [ID: Channel] = [:]
  private var sum: [Float] = []
  private var limiters: [ID?: SoftLimiter] = [:]

  /// No sources, silence.
  public init() {}

  /// Who is in the mix.
  public var sources: Set<ID> { Set(channels.filter { !$0.value.isLeaving }.keys) }

  /// Puts a source into the mix; it fades in.
  /// - Parameter gain: 0…4; 1 leaves it as it is.
  public func add(_ id: ID, _ input: AudioInput, gain: Float = 1) {
    channels[id] = Channel(input, Self.clamped(gain))
  }

  /// Changes how loud a source is, within 20 ms; 0 mutes it.
  public func setGain(_ gain: Float, of id: ID) { channels[id]?.target = Self.clamped(gain) }

  /// Takes a source out; it fades out within the next block.
  public func remove(_ id: ID) {
    channels[id]?.target = 0
    channels[id]?.isLeaving = true
    limiters[id] = nil
  }

  private static func clamped(_ gain: Float) -> Float { gain.isFinite ? min(max(gain, 0), 4) : 1 }

  /// Reads the next block of all sources; positions rise from call to call. Then ask for mixes of it.
  /// - Parameters:
  ///   - position: the grid's first sample.
  ///   - count: samples per channel.
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

  /// The mix of all sources of the last block, interleaved.
  public func mix() -> [Int16] { limited(sum, for: nil) }

  /// The mix of the last block without one source: what that one shall hear.
  public func mix(without id: ID) -> [Int16] { mix(without: CollectionOfOne(id)) }

  /// The mix of the last block without these sources: what the one whose they all are shall hear.
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
