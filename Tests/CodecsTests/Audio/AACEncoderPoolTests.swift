import Foundation
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("AAC encoders of streams with the same sound")
struct AACEncoderPoolTests {
  /// Stereo sound at 48 kHz on the grid of the media clock, that a listener would call music: tones that begin and fade, over noise.
  private struct Music {
    let seed: Int

    func samples(_ range: Range<Int64>) -> [Int16] {
      range.flatMap { position -> [Int16] in
        let time = Double(position) / 48_000
        let beat = time.truncatingRemainder(dividingBy: 0.4)
        let pitch = 220 * (1 + Double((Int(time / 0.4) + seed) % 7) / 5)
        let tone = sin(2 * .pi * pitch * time) * exp(-3 * beat) * 9000
        let hiss = Double((position &* 2_654_435_761 &+ Int64(seed)) >> 8 & 0xFF) - 128
        return [Int16(tone + hiss), Int16(tone * 0.6 - hiss)]
      }
    }
  }

  /// A stream that reads from a source in steps of 10 ms, and what a decoder makes of its frames.
  private final class Listener {
    let encoder: SoundEncoder
    let decoder: SoundDecoder
    var position: Int64
    var sent: [Int16] = []
    var frames: [SoundEncoder.Frame] = []

    init(_ pool: AACEncoderPool?, rate: Int = 48_000, channels: Int = 2, at position: Int64) throws {
      let settings = AACEncoderSettings(format: AudioFormat(sampleRate: rate, channels: channels))
      encoder = try SoundEncoder(settings, in: pool)
      decoder = try SoundDecoder(.aac(configuration: encoder.audioSpecificConfig), output: .stereo48k)
      self.position = position
    }

    func play(_ music: Music, milliseconds: Int) throws {
      for _ in 0..<milliseconds / 10 {
        let samples = music.samples(position..<position + 480)
        frames += try encoder.write(samples[...], at: position)
        sent += samples
        position += 480
      }
    }

    /// The signal to error ratio in dB of each 1024 samples, from the third frame on.
    func quality() throws -> [Double] {
      let begin = try #require(frames.first).time.ticks(rate: 48_000)
      let heard = try frames.flatMap { try decoder.decode($0.data) }
      let first = Int(position) - sent.count / 2
      return stride(from: 4096, to: heard.count - 2048, by: 2048).map { start in
        var (signal, error) = (1.0, 1.0)
        for index in start..<start + 2048 {
          let source = index + (Int(begin) - first) * 2
          guard sent.indices.contains(source) else { continue }
          signal += pow(Double(sent[source]), 2)
          error += pow(Double(sent[source]) - Double(heard[index]), 2)
        }
        return 10 * log10(signal / error)
      }
    }
  }

  @Test(
    "streams with the same sound share an encoder, whenever they begin", arguments: [(48_000, 2), (44_100, 2), (32_000, 1)])
  func sharing(rate: Int, channels: Int) throws {
    let pool = AACEncoderPool()
    let music = Music(seed: 1)
    let first = try Listener(pool, rate: rate, channels: channels, at: 1_000_003)
    try first.play(music, milliseconds: 770)
    let second = try Listener(pool, rate: rate, channels: channels, at: first.position - 9 * 480)
    #expect(pool.encoders == 2)
    for _ in 0..<200 {
      try first.play(music, milliseconds: 10)
      try second.play(music, milliseconds: 10)
    }
    #expect((pool.streams, pool.encoders) == (2, 1))
    let common = Set(first.frames.map(\.data))
    #expect(second.frames.suffix(20).allSatisfy { common.contains($0.data) })
    for stream in [first, second] {
      let steps = zip(stream.frames.dropFirst(), stream.frames).map { ($0.time - $1.time) * Int64(rate) }
      #expect(steps.allSatisfy { abs($0 - 1_024_000_000) <= Int64(rate) }, "no frame is lost or doubled")
    }
  }

  @Test("a decoder hears no change of the encoder")
  func seams() throws {
    let (pool, alone) = (AACEncoderPool(), try Listener(nil, at: 480_000))
    let (anchor, own, other) = (Music(seed: 1), Music(seed: 2), try Listener(pool, at: 470_003))
    let stream = try Listener(pool, at: 480_000)
    var shares: [Int] = []
    for round in 0..<6 {
      for _ in 0..<90 {
        try other.play(anchor, milliseconds: 10)
        for listener in [stream, alone] { try listener.play(round.isMultiple(of: 2) ? anchor : own, milliseconds: 10) }
      }
      shares.append(pool.encoders)
    }
    #expect(shares == [1, 2, 1, 2, 1, 2])
    let (worst, expected) = (try #require(stream.quality().min()), try #require(alone.quality().min()))
    #expect(worst > expected - 3, "signal to error in dB, in the worst of all blocks")
    let steps = zip(stream.frames.dropFirst(), stream.frames).map { $0.time - $1.time }
    #expect(steps.allSatisfy { (21_333...21_334).contains($0) })
  }
}
