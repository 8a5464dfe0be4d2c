import Foundation
import Mixing

/// Joins the sound of two programs without a click: for 10 ms the old one fades out while the new one fades in.
struct SoundSeam {
  /// Samples per channel.
  static let length = 480

  /// A raised cosine from 0 to 1: both programs together are as loud as each of them.
  private static let weights: [Float] = (0..<length).map { (1 - cos(.pi * (Float($0) + 0.5) / Float(length))) / 2 }

  /// The old program's sound behind the cut, interleaved.
  private let tail: [Int16]
  private var position = 0

  /// - Parameters:
  ///   - tail: the old program's stereo samples behind the cut. What is missing of 10 ms stays at the last value.
  ///   - last: the old program's last sample before the tail; its last value dies away if there is no tail.
  init(tail: [Int16] = [], last: [Int16]) {
    let channels = AudioInput.channels
    var whole = Array(tail.prefix(Self.length * channels))
    var value = whole.count >= channels ? Array(whole.suffix(channels)) : last
    if value.count != channels { value = Array(repeating: 0, count: channels) }
    while whole.count < Self.length * channels { whole += value }
    self.tail = whole
  }

  var isDone: Bool { position >= Self.length }

  /// The new program's next stereo samples, blended with the old one's.
  mutating func blend(_ samples: ArraySlice<Int16>) -> [Int16] {
    var blended = Array(samples)
    let channels = AudioInput.channels
    for index in 0..<min(blended.count / channels, Self.length - position) {
      let weight = Self.weights[position + index]
      for channel in 0..<channels {
        let (old, new) = (Float(tail[(position + index) * channels + channel]), Float(blended[index * channels + channel]))
        blended[index * channels + channel] = Int16((old + (new - old) * weight).rounded())
      }
    }
    position = min(Self.length, position + blended.count / channels)
    return blended
  }
}
