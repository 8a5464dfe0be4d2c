public import Codecs
public import RTP

/// One Opus track's frames, decoded onto the media clock; what was lost is recovered or concealed.
public final class OpusInput {
  /// The sound; read it at the clock's pace.
  public let sound: AudioInput
  /// Packets that could not be decoded so far.
  public private(set) var broken: UInt64 = 0

  /// More than this is a pause and not a loss: 120 ms.
  private static let mostConcealed = 6
  private let decoder: OpusDecoder

  /// - Parameter capacity: milliseconds that are kept at most.
  /// - Throws: ``CodecError`` where there is no memory for a decoder.
  public init(capacity: Int = 2000) throws(CodecError) {
    decoder = try OpusDecoder(channels: AudioInput.channels)
    sound = AudioInput(capacity: capacity)
  }

  /// Takes the next frame in order, with its media time.
  public func write(_ frame: EncodedFrame, at time: Instant) {
    do throws(CodecError) {
      try fillIn(frame, before: time)
      sound.write(try decoder.decode(frame.data), at: time.microseconds)
    } catch {
      broken += 1
    }
  }

  private func fillIn(_ frame: EncodedFrame, before time: Instant) throws(CodecError) {
    guard (1...Self.mostConcealed).contains(frame.lostBefore), let end = sound.end else { return }
    // Only where the clock agrees that something is missing: silence that was not sent (DTX) is none.
    let missing = AudioInput.position(of: time.microseconds) - end
    let length = Int64(OpusEncoder.frameCount)
    guard missing >= length / 2, missing <= length * Int64(Self.mostConcealed) else { return }
    let count = Int((missing + length / 2) / length)
    for index in 0..<count {
      let samples =
        index == count - 1
        ? try decoder.recover(from: frame.data, frameCount: OpusEncoder.frameCount)
        : try decoder.conceal(frameCount: OpusEncoder.frameCount)
      sound.write(samples, at: time.microseconds - Int64(count - index) * 20_000)
    }
  }
}
