import RoomSound
import Foundation
import Testing

@Suite("Voice processing")
struct VoiceProcessingTests {
  /// Passes what the loudspeaker plays and the microphone captures, in blocks of 10 ms.
  private func run(_ voice: VoiceProcessing, played: [Float], captured: [Float]) -> [Float] {
    stride(from: 0, to: captured.count, by: 960).flatMap { start -> [Float] in
      voice.played(Signals.whole(Array(played[start..<start + 960])))
      var block = Array(captured[start..<start + 960])
      voice.process(&block)
      return block
    }
  }

  @Test("the loudspeaker's echo is reduced by 15 dB after 3 s")
  func echo() throws {
    let played = Signals.speech(20_000, count: 48_000 * 5, seed: 3)
    // The echo: 50 ms later, 12 dB quieter.
    let delay = 2400 * 2
    let echo = [Float](repeating: 0, count: delay) + played.dropLast(delay).map { $0 * 0.25 }
    let voice = try VoiceProcessing(.init(noiseSuppression: nil, delay: 50))
    let rest = run(voice, played: played, captured: echo)
    let reduction = Signals.decibels(echo.suffix(48_000 * 4)) - Signals.decibels(rest.suffix(48_000 * 4))
    #expect(reduction > 15, "\(reduction) dB")
  }

  @Test("without echo cancellation the echo remains")
  func off() throws {
    let played = Signals.speech(20_000, count: 48_000 * 2, seed: 3)
    let voice = try VoiceProcessing(.init(cancelsEcho: false, noiseSuppression: nil))
    let rest = run(voice, played: played, captured: played)
    #expect(abs(Signals.decibels(played.suffix(48_000)) - Signals.decibels(rest.suffix(48_000))) < 3)
  }

  @Test("white noise is reduced by 8 dB, and speech in it remains")
  func noise() throws {
    let silence = [Float](repeating: 0, count: 48_000 * 8)
    let noise = Signals.noise(600, count: 48_000 * 4, seed: 9)
    let settings = VoiceProcessing.Settings(cancelsEcho: false, noiseSuppression: .high)
    let rest = run(try VoiceProcessing(settings), played: silence, captured: noise)
    let reduction = Signals.decibels(noise.suffix(96_000)) - Signals.decibels(rest.suffix(96_000))
    #expect(reduction > 8, "\(reduction) dB")

    let speech = Signals.speech(20_000, count: 48_000 * 4, seed: 4)
    let both = zip(noise, speech).map { $0 + $1 }
    let voice = run(try VoiceProcessing(settings), played: silence, captured: both)
    let loss = Signals.decibels(speech.suffix(192_000)) - Signals.decibels(voice.suffix(192_000))
    #expect(loss < 4, "\(loss) dB")
  }
}
