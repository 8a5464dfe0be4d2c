public import RoomCodecs
public import RoomRTP

/// Decodes one Opus track to the media clock's grid, once for all listeners. Lost packets are recovered or concealed.
public final class OpusSound {
  /// Stereo samples and the first one's position on the grid of ``AudioInput``.
  public typealias Block = (position: Int64, samples: [Int16])

  /// The number of packets that could not be decoded.
  public private(set) var broken: UInt64 = 0

  /// A longer gap is a pause and not a loss: 120 ms.
  private static let mostConcealed = 6
  private let decoder: OpusDecoder
  private var aligner = SoundAligner()

  /// - Throws: ``CodecError`` if there is no memory for a decoder.
  public init() throws(CodecError) {
    decoder = try OpusDecoder(channels: AudioInput.channels)
  }

  /// Decodes the next frame in order, at its media time. Returns its audio, preceded by the replacement of lost packets.
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
    // Only if the clock confirms a gap: silence that was not sent (DTX) is not a loss.
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
