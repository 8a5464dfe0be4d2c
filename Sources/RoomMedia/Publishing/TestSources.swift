import Codecs
import Foundation
import RoomClient
import RTP

extension VideoSource {
  /// A moving picture in a colour of its own, with the time of day in it for people and for machines (`ClockBlocks`: UNIX time).
  ///
  /// Starts at once and runs until ``stop()``, or until it is let go.
  /// - Parameter index: chooses the colour; bots take their number.
  public static func testPattern(
    _ configuration: VideoConfiguration, index: Int = 0, tag: String = "camera", master: Bool = true
  ) throws -> VideoSource {
    let source = try VideoSource(configuration, tag: tag, master: master)
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
  /// A sine tone. Starts at once and runs until ``stop()``, or until it is let go.
  /// - Parameters:
  ///   - frequency: hertz.
  ///   - amplitude: peak relative to full scale, 0…1.
  public static func tone(
    frequency: Double, amplitude: Double = 0.2, _ settings: OpusEncoderSettings = .init(), tag: String = "microphone",
    master: Bool = true
  ) throws -> AudioSource {
    let source = try AudioSource(settings, tag: tag, master: master)
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
