import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("Test signals")
struct TestSignalTests {
  @Test("the clock can be read at every size", arguments: [(64, 64), (176, 144), (272, 480), (320, 180), (1280, 720)])
  func clock(width: Int, height: Int) throws {
    let pattern = try TestPattern(width: width, height: height)
    for number in [0, 1, 77, 65_535, 65_536] {
      let milliseconds = 1_795_228_844_123 + Int64(number) * 41
      let frame = try pattern.frame(number: number, milliseconds: milliseconds, timestamp: 0)
      let expected = ClockBlocks.Reading(milliseconds: UInt64(milliseconds), frame: UInt16(truncatingIfNeeded: number))
      #expect(ClockBlocks.read(frame) == expected)
    }
  }

  @Test("the clock survives scaling")
  func scaledClock() throws {
    let frame = try TestPattern(width: 320, height: 180).frame(number: 9, milliseconds: 123_456, timestamp: 0)
    for (width, height) in [(176, 144), (640, 360), (213, 120)] {
      let reading = ClockBlocks.read(try frame.scaled(width: width, height: height))
      #expect(reading == .init(milliseconds: 123_456, frame: 9))
    }
  }

  @Test("no clock is read from a picture without one")
  func noClock() throws {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<20 {
      let noise = (0..<64 * 64 * 3 / 2).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(ClockBlocks.read(try VideoFrame(i420: noise, width: 64, height: 64)) == nil)
    }
    var grey = try VideoFrame(width: 320, height: 180)
    grey.fill(YUVColour(y: 125, u: 128, v: 128))
    #expect(ClockBlocks.read(grey) == nil)
    #expect(ClockBlocks.read(try VideoFrame(width: 8, height: 8)) == nil)
  }

  @Test("pictures move, and sources differ in colour")
  func motion() throws {
    let first = try TestPattern(width: 320, height: 180, index: 0)
    let second = try TestPattern(width: 320, height: 180, index: 1)
    let a = try first.frame(number: 10, milliseconds: 0, timestamp: 0)
    let b = try first.frame(number: 20, milliseconds: 0, timestamp: 0)
    #expect(try #require(a.psnr(to: b)) < 40)
    let c = try second.frame(number: 10, milliseconds: 0, timestamp: 0)
    #expect(abs(Int(a.meanColour.u) - Int(c.meanColour.u)) > 30)
  }

  @Test("the time of day is drawn as digits")
  func digits() {
    #expect(TestPattern.timeOfDay(0) == "00:00:00.000")
    #expect(TestPattern.timeOfDay(86_399_999) == "23:59:59.999")
    #expect(TestPattern.timeOfDay(-1) == "23:59:59.999")
  }

  @Test("any frame number and time can be drawn", arguments: [Int.min, -1, .max])
  func extremes(number: Int) throws {
    let frame = try TestPattern(width: 64, height: 64, index: number)
      .frame(number: number, milliseconds: Int64(number), timestamp: 0)
    #expect(ClockBlocks.read(frame) != nil)
  }

  @Test("a tone is found in noise, and none in silence")
  func tones() throws {
    var random = SeededGenerator(seed: 2)
    var tone = ToneGenerator(frequency: 1234)
    let noisy = tone.next(9600).map { $0 / 2 + Int16.random(in: -1000...1000, using: &random) }
    let found = try #require(ToneDetector.strongestTone(in: noisy, sampleRate: 48_000))
    #expect(abs(found.frequency - 1234) < 3)
    #expect(abs(found.amplitude - 0.15) < 0.02)
    #expect(ToneDetector.amplitude(of: 800, in: noisy, sampleRate: 48_000) < 0.01)
    #expect(ToneDetector.strongestTone(in: [Int16](repeating: 0, count: 4800), sampleRate: 48_000) == nil)
    #expect(ToneDetector.strongestTone(in: [Int16](), sampleRate: 48_000) == nil)
  }

  @Test("a tone has no click between blocks")
  func continuity() {
    var whole = ToneGenerator(frequency: 440)
    var parts = ToneGenerator(frequency: 440)
    #expect(whole.next(3000) == parts.next(1000) + parts.next(1500) + parts.next(500))
  }
}
