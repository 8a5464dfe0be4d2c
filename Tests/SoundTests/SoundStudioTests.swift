import RoomCodecs
import RoomRTP
import RoomSound
import Foundation
import Testing

@Suite("A sound studio")
struct SoundStudioTests {
  /// Runs a studio in virtual time, 20 ms at a time, with a tone in each named channel.
  private func run(
    _ studio: SoundStudio, _ tones: [String: (Double, Double)], frames: Int = 50, step: (Int) -> Void = { _ in }
  ) throws -> [SoundStudio.Frame] {
    try (0..<frames).flatMap { index -> [SoundStudio.Frame] in
      step(index)
      for (name, tone) in tones {
        studio.push(Signals.frame(Signals.sine(tone.0, tone.1, count: 960, from: index * 960)), to: name)
      }
      var frames: [SoundStudio.Frame] = []
      while let frame = try studio.next(at: MediaTime(milliseconds: Int64(index) * 20)) { frames.append(frame) }
      return frames
    }
  }

  private func samples(_ frames: some Sequence<SoundStudio.Frame>) -> [Float] {
    frames.flatMap { $0.sound.samples.map(Float.init) }
  }

  private func amplitude(_ frequency: Double, _ frames: some Sequence<SoundStudio.Frame>) -> Double {
    ToneDetector.amplitude(
      of: frequency, in: Signals.left(frames.flatMap(\.sound.samples)), sampleRate: 48_000) * 32_768
  }

  @Test("named channels are mixed, each with its gain")
  func mix() throws {
    let studio = SoundStudio(SoundSettings(channels: ["app": .init(gain: -6.0206)]), queue: .init(target: 10))
    let frames = try run(studio, ["microphone": (440, 6000), "app": (1000, 6000)])
    #expect(frames.count == 50)
    #expect(abs(amplitude(440, frames.suffix(20)) - 6000) < 60)
    #expect(abs(amplitude(1000, frames.suffix(20)) - 3000) < 30)
    #expect(frames.last?.sound.timestamp == MediaTime(milliseconds: 980))
  }

  @Test("loud channels together are limited in place of distorted")
  func limiter() throws {
    let frames = try run(SoundStudio(queue: .init(target: 10)), ["a": (440, 30_000), "b": (660, 30_000)])
    let late = samples(frames.suffix(20))
    #expect(late.allSatisfy { abs($0) < 32_767 })
    #expect(abs(amplitude(440, frames.suffix(20)) - amplitude(660, frames.suffix(20))) < 500)
    // Clipping would make tones at odd sums of both.
    #expect(amplitude(440 * 2 + 660, frames.suffix(20)) < 300)
  }

  @Test("the ear hears the sound before or after the effects, or nothing")
  func earReturn() throws {
    for (mode, expected) in [(SoundSettings.EarReturn.dry, 6000), (.processed, 3000)] {
      let settings = SoundSettings(effects: [.gain(-6.0206)], earReturn: mode)
      let frames = try run(SoundStudio(settings, queue: .init(target: 10)), ["microphone": (440, 6000)])
      let ear = frames.suffix(20).flatMap { $0.ear?.samples ?? [] }
      let heard = ToneDetector.amplitude(of: 440, in: Signals.left(ear), sampleRate: 48_000) * 32_768
      #expect(abs(heard - Double(expected)) < 60, "\(mode)")
    }
    #expect(try run(SoundStudio(), ["microphone": (440, 6000)]).allSatisfy { $0.ear == nil })
  }

  @Test("settings replaced while live change the sound without a click")
  func live() throws {
    let studio = SoundStudio(queue: .init(target: 10))
    let frames = try run(studio, ["microphone": (500, 8000)], frames: 100) { index in
      switch index {
      case 20: studio.settings.effects = [.gain(-12), .reverb(.medium)]
      case 40: studio.settings.channels["microphone"] = .init(gain: 3)
      case 60: studio.settings.effects = []
      case 80: studio.settings.channels["microphone"] = .init(isMuted: true)
      default: break
      }
    }
    let own = Signals.largestStep(Signals.sine(500, 8000, count: 960))
    #expect(Signals.largestStep(samples(frames.dropFirst(2))) < own * 1.6)
    #expect(frames.suffix(10).allSatisfy { $0.level.peak == 0 })
  }

  @Test("channels without effects are left dry")
  func dryChannel() throws {
    let settings = SoundSettings(channels: ["music": .init(hasEffects: false)], effects: [.gain(-20)])
    let frames = try run(SoundStudio(settings, queue: .init(target: 10)), ["microphone": (440, 6000), "music": (1000, 6000)])
    #expect(abs(amplitude(440, frames.suffix(20)) - 600) < 20)
    #expect(abs(amplitude(1000, frames.suffix(20)) - 6000) < 60)
  }

  @Test("levels are those of the channels and of the output")
  func levels() throws {
    let studio = SoundStudio(queue: .init(target: 10))
    let frames = try run(studio, ["microphone": (500, 16_384)])
    #expect(abs((studio.level(of: "microphone")?.decibels ?? 0) + 9.03) < 0.05)
    #expect(abs((frames.last?.level.peak ?? 0) - 0.5) < 0.01)
    #expect(studio.level(of: "nobody") == nil)
  }

  @Test("other formats are converted; a format that cannot be is refused and counted, as are too many channels")
  func formats() throws {
    let studio = SoundStudio()
    var tone = ToneGenerator(frequency: 440, amplitude: 0.3, format: AudioFormat(sampleRate: 16_000, channels: 1))
    var frames: [SoundStudio.Frame] = []
    for index in 0..<50 {
      studio.push(AudioFrame(samples: tone.next(320), format: tone.format), to: "microphone")
      if let frame = try studio.next(at: MediaTime(milliseconds: Int64(index) * 20)) { frames.append(frame) }
    }
    #expect(abs(amplitude(440, frames.suffix(20)) - 0.3 * 32_768) < 300)
    studio.push(AudioFrame(samples: [0], format: AudioFormat(sampleRate: 1, channels: 1)), to: "microphone")
    #expect(studio.counters.refused == 1)
    for index in 0..<20 { studio.push(AudioFrame(samples: [0, 0], format: .stereo48k), to: "\(index)") }
    #expect(studio.counters.refused == 6)
  }

  @Test("a studio that was suspended continues in the present and counts what it left out")
  func suspended() throws {
    let studio = SoundStudio()
    #expect(try studio.next(at: .zero) != nil)
    let frame = try studio.next(at: MediaTime(milliseconds: 10_000))
    #expect((9980...10_000).contains(frame?.sound.timestamp.milliseconds ?? 0))
    #expect(studio.counters.late == 499)
  }

  @Test("the voice's channel loses the loudspeaker's echo; the others are left as they are")
  func voice() throws {
    let played = Signals.speech(20_000, count: 48_000 * 5, seed: 3)
    func rest(_ name: String) throws -> Double {
      let studio = SoundStudio(SoundSettings(voice: .init(noiseSuppression: nil)), queue: .init(target: 20))
      // The settings take effect with the first frame.
      _ = try studio.next(at: .zero)
      let frames = try (1..<250).compactMap { index -> SoundStudio.Frame? in
        studio.played(Signals.whole(Array(played[index * 1920 - 1920..<index * 1920])))
        // The devices' buffers: 60 ms.
        let start = max(0, index - 4) * 1920
        studio.push(Signals.frame(played[start..<start + 1920].map { $0 * 0.25 }), to: name)
        return try studio.next(at: MediaTime(milliseconds: Int64(index) * 20))
      }
      return Signals.decibels(samples(frames.suffix(100)))
    }
    let (microphone, app) = (try rest("microphone"), try rest("app"))
    #expect(app - microphone > 15, "\(microphone) and \(app) dB")
  }

  @Test("voice processing and the ear return are switched without a click")
  func switches() throws {
    let studio = SoundStudio(queue: .init(target: 10))
    let frames = try run(studio, ["microphone": (500, 8000)], frames: 80) { index in
      switch index {
      case 20: studio.settings.voice = .init(cancelsEcho: false, noiseSuppression: .low)
      case 30: studio.settings.earReturn = .dry
      case 40: studio.settings.earReturn = .processed
      case 50: studio.settings.voice = nil
      case 60: studio.settings.earReturn = .off
      default: break
      }
    }
    let own = Signals.largestStep(Signals.sine(500, 8000, count: 960))
    #expect(Signals.largestStep(samples(frames.dropFirst(2))) < own * 1.5)
    let ear = frames.flatMap { ($0.ear?.samples ?? [Int16](repeating: 0, count: 1920)).map(Float.init) }
    #expect(Signals.largestStep(ear) < own * 1.5)
    #expect(frames[29].ear == nil && frames[30].ear != nil && frames[61].ear == nil)
  }
}
