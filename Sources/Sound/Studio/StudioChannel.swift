import RoomCodecs

/// One named input of a studio: a queue between the source's clock and the studio's, or a file.
final class StudioChannel {
  private var queue: ClockMatchedPlayout
  var player: FilePlayer?
  private var resampler: Resampler?
  private var stereo: [Int16] = []
  private var factor: Float
  /// The processing of the voice, and the one that replaces it.
  private var (voice, coming): (VoiceProcessing?, VoiceProcessing?)
  private var isWarm = false
  private var scratch: [Float] = []
  /// The last block, with its gain applied.
  private(set) var block: [Float]
  private(set) var level = SoundLevel()

  init(_ queue: ClockMatchedPlayout.Settings, count: Int, gain: Float) {
    self.queue = ClockMatchedPlayout(queue)
    block = [Float](repeating: 0, count: count * 2)
    factor = gain
  }

  var counters: ClockMatchedPlayout.Counters { queue.counters }

  func push(_ frame: AudioFrame) throws(CodecError) {
    // The resampler would make mono 3 dB quieter in stereo.
    let isMono = frame.format.channels == 1
    let samples = try converted(frame, to: isMono ? .mono48k : .stereo48k)
    guard isMono else { return queue.write(samples) }
    stereo.removeAll(keepingCapacity: true)
    for sample in samples {
      stereo.append(sample)
      stereo.append(sample)
    }
    queue.write(stereo)
  }

  private func converted(_ frame: AudioFrame, to format: AudioFormat) throws(CodecError) -> [Int16] {
    if frame.format == format { return frame.samples }
    if resampler?.input != frame.format { resampler = try Resampler(from: frame.format, to: format) }
    return resampler?.process(frame.samples) ?? []
  }

  /// Reads the next block, and moves the gain to `target` within it.
  func advance(to target: Float, voice: VoiceProcessing?) {
    if let player { player.read(&block) } else { queue.read(&block) }
    process(by: voice)
    SoundBlock.scale(&block, from: factor, to: target)
    factor = target
    level = SoundLevel(block)
  }

  /// Processes the block as a voice. Another processing runs along for one block, because it begins with silence, and is
  /// crossfaded in the next one.
  private func process(by wanted: VoiceProcessing?) {
    if wanted !== coming {
      coming = wanted
      isWarm = wanted == nil
    }
    guard coming !== voice else {
      voice?.process(&block)
      return
    }
    SoundBlock.copy(block, to: &scratch)
    voice?.process(&block)
    coming?.process(&scratch)
    guard isWarm else {
      isWarm = true
      return
    }
    // The block is the old one, and the scratch the new one.
    swap(&block, &scratch)
    SoundBlock.crossfade(from: scratch, to: &block)
    voice = coming
  }

  func add(to sum: inout [Float]) { SoundBlock.add(block, to: &sum) }
}
