public import Codecs
public import RTP

/// One Opus track's frames as sound on the media clock's grid, decoded once for all who hear it; what was lost is recovered or concealed.
public final class OpusSound {
  /// Stereo samples and the place of the first on the grid of ``AudioInput``.
  public typealias Block = (position: Int64, samples: [Int16])

  /// Packets that could not be decoded so far.
  public private(set) var broken: UInt64 = 0

  /// More than this is a pause and not a loss: 120 ms.
  private static let mostConcealed = 6
  private let decoder: OpusDecoder
  private var aligner = SoundAligner()

  /// - Throws: ``CodecError`` where there is no memory for a decoder.
  public init() throws(CodecError) {
    decoder = try OpusDecoder(channels: AudioInput.channels)
  }

  /// Takes the next frame in order, with its media time, and gives its sound, after what stands for lost ones.
  public func decode(_ frame: EncodedFrame, at time: MediaTime) -> [Block] {
    var blocks: [Block] = []
    do throws(CodecError) {
      try conceal(before: frame, at: time, into: &blocks)
      blocks.append(aligner.place(try decoder.decode(frame.data), at: time))
    } catch {
      broken += 1
    }
    return blocks
  }

  private func conceal(before frame: EncodedFrame, at time: MediaTime, into blocks: inout [Block]) throws(CodecError) {
    guard (1...Self.mostConcealed).contains(frame.lostBefore), let end = aligner.end else { return }
    // Only where the clock agrees that something is missing: silence that was not sent (DTX) is none.
    let missing = AudioInput.position(of: time) - end
    let length = Int64(OpusEncoder.frameCount)
    guard missing >= length / 2, missing <= length * Int64(Self.mostConcealed) else { return }
    let count = Int((missing + length / 2) / length)
    for index in 0..<count {
      let samples =
        index == count - 1
        ? try decoder.recover(from: frame.data, frameCount: OpusEncoder.frameCount)
        : try decoder.conceal(frameCount: OpusEncoder.frameCount)
      blocks.append(aligner.place(samples, at: time.advanced(milliseconds: -20 * Int64(count - index))))
    }
  }
}
