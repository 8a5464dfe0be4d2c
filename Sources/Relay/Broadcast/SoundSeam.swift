import Foundation
import RoomMixing

/// Cross-fades the audio of two programs for 10 ms, to avoid a click.
struct SoundSeam {
  /// The length in samples per channel.
  static let length = 480

  /// A raised cosine from 0 to 1, so the blend is as loud as each program.
  private static let weights: [Float] = (0..<length).map { (1 - cos(.pi * (Float($0) + 0.5) / Float(length))) / 2 }

  /// The old program's audio after the cut, interleaved.
  private let tail: [Int16]
  private var position = 0

  /// - Parameters:
  ///   - tail: The old program's stereo samples after the cut. If they cover less than 10 ms, the last value is repeated.
  ///   - last: The old program's last sample before the tail. Without a tail, this value fades out.
  init(tail: [Int16] = [], last: [Int16]) {
    let channels = AudioInput.channels
    var whole = Array(tail.prefix(Self.length * channels))
    var value = whole.count >= channels ? Array(whole.suffix(channels)) : last
    if value.count != channels { value = Array(repeating: 0, count: channels) }
    while whole.count < Self.length * channels { whole += value }
    self.tail = whole
  }

  var isDone: Bool { position >= Self.length }

  /// Returns the new program's next stereo samples, blended with the old program's.
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
