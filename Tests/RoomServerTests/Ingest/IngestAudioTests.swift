import Glibc
import RoomCodecs
import RoomMediaTimeLiterals
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomServer

@Suite("Ingest of AAC")
struct IngestAudioTests {
  /// A tone as AAC frames with their exact times in microseconds.
  private struct Tone {
    let rate: Int
    let header: [UInt8]
    var frames: [[UInt8]] = []

    init(seconds: Int, rate: Int = 44_100, channels: Int = 2) throws {
      self.rate = rate
      let format = AudioFormat(sampleRate: rate, channels: channels)
      let encoder = try AACEncoder(AACEncoderSettings(format: format, bitrate: 96_000))
      header = AudioTag.aacHeader(.sequenceStart) + encoder.audioSpecificConfig
      var generator = ToneGenerator(frequency: 440, amplitude: 0.3, format: format)
      for _ in 0..<(seconds * rate / AACEncoder.frameCount) {
        if let frame = try encoder.encode(generator.next(AACEncoder.frameCount)) {
          frames.append(AudioTag.aacHeader(.codedFrames) + frame)
        }
      }
    }

    func time(_ index: Int) -> Double { Double(index * AACEncoder.frameCount) * 1_000_000 / Double(rate) }
  }

  /// Returns whether the tone is audible in the Opus packets after the first half second.
  private func hears(_ packets: [IngestAudio.Packet]) throws -> Bool {
    let decoder = try OpusDecoder(channels: 1)
    let samples = try packets.flatMap { try decoder.decode($0.payload) }
    let window = samples.dropFirst(24_000).prefix(9600)
    return ToneDetector.amplitude(of: 440, in: window, sampleRate: 48_000) > 0.2
  }

  @Test("a tone is converted to Opus without a gap between packets", arguments: [(44_100, 2), (48_000, 1), (22_050, 2)])
  func tone(rate: Int, channels: Int) throws {
    let tone = try Tone(seconds: 3, rate: rate, channels: channels)
    let audio = try IngestAudio()
    #expect(try audio.take(tone.header, at: 0).isEmpty && audio.hasBegun)
    var packets: [IngestAudio.Packet] = []
    // FLV times are whole milliseconds.
    for (index, frame) in tone.frames.enumerated() {
      packets += try audio.take(frame, at: MediaTime(microseconds: Int64(tone.time(index) / 1000) * 1000 + 1_000_000))
    }
    #expect(packets.count >= 140)
    #expect(packets.first?.position == 48_000)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.position - $0.position == 960 })
    #expect(packets.allSatisfy { $0.payload.withUnsafeBytes { OpusPacket(parsing: $0)?.sampleCount } == 960 })
    #expect(packets.dropFirst(10).allSatisfy { (10...16).contains($0.level.level) })
    #expect(try hears(packets))
    #expect(audio.jumps == 0 && audio.malformed == 0)
  }

  @Test("the drift of a slow or fast sound card is corrected inaudibly", arguments: [-300.0, 300.0])
  func drift(partsPerMillion: Double) throws {
    let tone = try Tone(seconds: 60)
    let audio = try IngestAudio()
    _ = try audio.take(tone.header, at: 0)
    var packets: [IngestAudio.Packet] = []
    var worst = 0.0
    for (index, frame) in tone.frames.enumerated() {
      let time = tone.time(index) * (1 + partsPerMillion / 1_000_000)
      packets += try audio.take(frame, at: MediaTime(microseconds: Int64(time / 1000) * 1000))
      if let last = packets.last {
        // The sent audio ends with the frame, except for samples that do not fill a packet yet.
        let end = Double(last.position + 960) / 48
        worst = max(worst, abs(end - time / 1000 - 12))
      }
    }
    #expect(worst < 34, "milliseconds")
    #expect(audio.jumps == 0)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.position - $0.position == 960 })
    #expect(try hears(Array(packets.suffix(100))))
  }

  @Test("missing frames become silence, duplicates are left out, and the time stays correct")
  func gaps() throws {
    let tone = try Tone(seconds: 6)
    let audio = try IngestAudio()
    _ = try audio.take(tone.header, at: 0)
    var packets: [IngestAudio.Packet] = []
    for (index, frame) in tone.frames.enumerated() {
      if (60..<70).contains(index) { continue }
      if index == 100 { #expect(try audio.take(AudioTag.aacHeader(.codedFrames) + [0xff, 0xff, 0xff], at: 0).isEmpty) }
      if index == 100 { continue }
      packets += try audio.take(frame, at: MediaTime(microseconds: Int64(tone.time(index))))
      if index == 150 {
        for again in 146...150 {
          packets += try audio.take(tone.frames[again], at: MediaTime(microseconds: Int64(tone.time(again))))
        }
      }
    }
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.position - $0.position == 960 })
    let end = try #require(packets.last).position + 960
    let expected = Int64(tone.time(tone.frames.count) * 0.048)
    #expect(abs(end - expected) < 2 * 960)
    #expect(audio.malformed == 1)
    #expect(audio.jumps >= 2)
    #expect(packets.contains { $0.level.level > 60 })
  }

  @Test("after a long pause the time jumps, and no silence is inserted")
  func pause() throws {
    let tone = try Tone(seconds: 2)
    let audio = try IngestAudio()
    _ = try audio.take(tone.header, at: 0)
    var packets: [IngestAudio.Packet] = []
    for (index, frame) in tone.frames.enumerated() {
      packets += try audio.take(frame, at: MediaTime(microseconds: Int64(tone.time(index)) + (index < 40 ? 0 : 5_000_000)))
    }
    let steps = zip(packets, packets.dropFirst()).map { $1.position - $0.position }
    #expect(steps.filter { $0 != 960 }.count == 1)
    #expect(steps.contains { abs($0 - 240_000) < 2000 })
  }

  @Test("Opus passes unchanged, in packets that follow each other")
  func opus() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(channels: 2, bitrate: 64_000))
    let audio = try IngestAudio()
    let head = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]
    #expect(try audio.take(AudioTag.enhancedHeader(.opus, .sequenceStart) + head, at: 0).isEmpty && audio.hasBegun)
    var positions: [Int64] = []
    for index in 0..<10 {
      let samples = (0..<1920).map { Int16(8000 * sin(Double($0 / 2 + index * 960) * 0.0576)) }
      let payload = try encoder.encode(samples)
      // Times are whole milliseconds, and one is late.
      let time = MediaTime(milliseconds: Int64(index * 20 + (index == 4 ? 7 : 0)))
      let packets = try audio.take(AudioTag.enhancedHeader(.opus, .codedFrames) + payload, at: time)
      #expect(packets.map { $0.payload } == [payload])
      #expect(packets.allSatisfy { $0.level.level < 40 } || index == 0)
      positions += packets.map { $0.position }
    }
    #expect(positions == (0..<10).map { Int64($0) * 960 })
    #expect(throws: IngestError.audioCodec("Opus with 6 channels")) {
      try IngestAudio().take(AudioTag.enhancedHeader(.opus, .sequenceStart) + head.prefix(9) + [6, 0, 0], at: 0)
    }
  }

  @Test("codecs without a decoder are rejected by name")
  func otherFormats() throws {
    for (payload, name) in [([0x1f, 1], "ADPCM"), ([0xdf, 1], "FLV codec 13")] as [([UInt8], String)] {
      let audio = try IngestAudio()
      #expect(throws: IngestError.audioCodec(name)) { try audio.take(payload, at: 0) }
    }
    let audio = try IngestAudio()
    #expect(throws: IngestError.self) { try audio.take(AudioTag.aacHeader(.sequenceStart) + [1], at: 0) }
    #expect(try audio.take([0xaf, 1, 2, 3], at: 0).isEmpty)
  }
}
