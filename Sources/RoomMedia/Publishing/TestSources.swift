import RoomCodecs
import Foundation
import RoomClient
import RoomRTP

extension VideoSource {
  /// Creates a source with a moving picture that shows the time of day as text, and as UNIX time in `ClockBlocks`.
  ///
  /// The source starts at once and runs until ``stop()``, or until it is released.
  /// - Parameters:
  ///   - configuration: how the picture is encoded.
  ///   - index: selects the colour.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main video track.
  /// - Throws: as ``init(_:tag:isMain:adaptation:studio:)``.
  public static func testPattern(
    _ configuration: VideoConfiguration, index: Int = 0, tag: String = "camera", isMain: Bool = true
  ) throws -> VideoSource {
    let source = try VideoSource(configuration, tag: tag, isMain: isMain)
    let settings = configuration.settings
    let pattern = try TestPattern(width: settings.width, height: settings.height, index: index)
    source.queue.run { [queue = source.queue] in
      var pacing = Pacing()
      var number = 0
      while !Task.isCancelled {
        let time = MediaTime(ticks: Int64(number), rate: Int64(settings.fps))
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        if let frame = try? pattern.frame(number: number, milliseconds: now, timestamp: time) { queue.push(frame) }
        number += 1
        try? await pacing.wait(until: MediaTime(ticks: Int64(number), rate: Int64(settings.fps)))
      }
    }
    return source
  }
}

extension AudioSource {
  /// Creates a source with a sine tone. The source starts at once and runs until ``stop()``, or until it is released.
  /// - Parameters:
  ///   - frequency: the frequency in Hz.
  ///   - amplitude: the peak relative to full scale, 0…1.
  ///   - settings: the encoder's settings; mono at 32 kbit/s by default.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main audio track.
  /// - Throws: as ``init(_:tag:isMain:)``.
  public static func tone(
    frequency: Double, amplitude: Double = 0.2, _ settings: OpusEncoderSettings = .init(), tag: String = "microphone",
    isMain: Bool = true
  ) throws -> AudioSource {
    let source = try AudioSource(settings, tag: tag, isMain: isMain)
    let format = AudioFormat(sampleRate: 48_000, channels: settings.channels)
    source.queue.run { [queue = source.queue] in
      var pacing = Pacing()
      var tone = ToneGenerator(frequency: frequency, amplitude: amplitude, format: format)
      var time = MediaTime.zero
      while !Task.isCancelled {
        queue.push(AudioFrame(samples: tone.next(OpusEncoder.frameCount), format: format, timestamp: time))
        time = time.advanced(milliseconds: 20)
        try? await pacing.wait(until: time)
      }
    }
    return source
  }
}
