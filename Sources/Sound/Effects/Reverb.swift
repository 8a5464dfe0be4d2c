import Foundation

/// The reverberation of a room: a feedback delay network of eight lines (Jot and Chaigne, "Digital delay networks for designing
/// artificial reverberators", 1991).
///
/// A filter in each line sets the decay times at 0 Hz and at the Nyquist frequency exactly; the times between change smoothly.
public final class Reverb: SoundEffect {
  /// The parameters of a reverb. Values out of range are clamped.
  public struct Parameters: Sendable, Hashable {
    /// The gain of the reverberation in dB, -20…20.
    public var gain: Double
    /// The size of the room, 0…1: the delays are 7…22 ms to 23…57 ms.
    public var roomSize: Double
    /// The time in seconds in which low frequencies decay by 60 dB, 0.05…20.
    public var decayTimeAt0Hz: Double
    /// The time in seconds in which the highest frequencies decay by 60 dB, 0.05…20.
    public var decayTimeAtNyquist: Double
    /// The share of the reverberation, 0 (dry)…1 (only reverberation).
    public var mix: Double

    public init(
      gain: Double = 0, roomSize: Double = 0.5, decayTimeAt0Hz: Double = 1, decayTimeAtNyquist: Double = 0.5, mix: Double = 0.25
    ) {
      self.gain = gain.isFinite ? min(max(gain, -20), 20) : 0
      self.roomSize = roomSize.isFinite ? min(max(roomSize, 0), 1) : 0.5
      self.decayTimeAt0Hz = decayTimeAt0Hz.isFinite ? min(max(decayTimeAt0Hz, 0.05), 20) : 1
      self.decayTimeAtNyquist = decayTimeAtNyquist.isFinite ? min(max(decayTimeAtNyquist, 0.05), 20) : 0.5
      self.mix = mix.isFinite ? min(max(mix, 0), 1) : 0.25
    }

    /// A small room.
    public static let low = Self(roomSize: 0.25, decayTimeAt0Hz: 0.6, decayTimeAtNyquist: 0.3, mix: 0.15)
    /// A large room.
    public static let medium = Self(roomSize: 0.5, decayTimeAt0Hz: 1.2, decayTimeAtNyquist: 0.6, mix: 0.25)
    /// A hall.
    public static let high = Self(roomSize: 0.9, decayTimeAt0Hz: 2.5, decayTimeAtNyquist: 1, mix: 0.35)
  }

  private static let lines = 8
  /// The delays of the largest room in samples: primes, so that their echoes do not coincide.
  private static let lengths = [1103, 1327, 1559, 1801, 2029, 2269, 2503, 2741]

  /// A delay line; the filter's coefficients and memory.
  private struct Line {
    let start: Int
    let length: Int
    let direct: Float
    let feedback: Float
    var index = 0
    var memory: Float = 0
  }

  private var network: [Line] = []
  private var memory: [Float]
  private let dry: Float
  private let wet: Float

  /// Creates a reverb without a tail.
  public init(_ parameters: Parameters = .init()) {
    var start = 0
    for length in Self.lengths {
      let length = Int(Double(length) * (0.3 + 0.7 * parameters.roomSize)) | 1
      let seconds = Double(length) / 48_000
      let low = pow(10, -3 * seconds / parameters.decayTimeAt0Hz)
      let high = pow(10, -3 * seconds / parameters.decayTimeAtNyquist)
      network.append(
        Line(
          start: start, length: length, direct: Float(2 * low * high / (low + high)),
          feedback: Float((low - high) / (low + high))))
      start += length
    }
    memory = [Float](repeating: 0, count: start)
    dry = Float(1 - parameters.mix)
    wet = Float(parameters.mix) * Gain.factor(parameters.gain) * 0.5
  }

  public func process(_ samples: inout [Float]) {
    let (dry, wet) = (dry, wet)
    memory.withUnsafeMutableBufferPointer { memory in
      network.withUnsafeMutableBufferPointer { network in
        for frame in 0..<samples.count / 2 {
          let input = SIMD2(samples[frame * 2], samples[frame * 2 + 1])
          var outputs = SIMD8<Float>()
          for line in 0..<Self.lines {
            let delayed = memory[network[line].start + network[line].index]
            network[line].memory = network[line].direct * delayed + network[line].feedback * network[line].memory
            outputs[line] = network[line].memory
          }
          let back = Self.mixed(outputs)
          for line in 0..<Self.lines {
            memory[network[line].start + network[line].index] = back[line] + input[line & 1] + 1e-18
            let next = network[line].index + 1
            network[line].index = next == network[line].length ? 0 : next
          }
          let left = outputs[0] - outputs[2] + outputs[4] - outputs[6]
          let right = outputs[1] - outputs[3] + outputs[5] - outputs[7]
          samples[frame * 2] = dry * input[0] + wet * left
          samples[frame * 2 + 1] = dry * input[1] + wet * right
        }
      }
    }
  }

  /// Mixes the lines with a Hadamard matrix, which keeps their energy.
  private static func mixed(_ x: SIMD8<Float>) -> SIMD8<Float> {
    let a = SIMD8(lowHalf: x.evenHalf + x.oddHalf, highHalf: x.evenHalf - x.oddHalf)
    let b = SIMD8(lowHalf: a.evenHalf + a.oddHalf, highHalf: a.evenHalf - a.oddHalf)
    return SIMD8(lowHalf: b.evenHalf + b.oddHalf, highHalf: b.evenHalf - b.oddHalf) * 0.353_553_39
  }
}
