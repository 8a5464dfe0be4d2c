import RoomCodecs
import RoomRTP
import RoomSound
import RoomTestSupport
import Foundation
import Testing

@Suite("A file player")
struct FilePlayerTests {
  /// Writes a stereo WAV file at 48 kHz and returns its path.
  static func file(_ samples: [Int16]) throws -> String {
    func bytes(_ value: some FixedWidthInteger) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
    let size = UInt32(samples.count * 2)
    var data = Data("RIFF".utf8) + bytes(36 + size) + Data("WAVEfmt ".utf8)
    data += bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(2)) + bytes(UInt32(48_000)) + bytes(UInt32(192_000))
    data += bytes(UInt16(4)) + bytes(UInt16(16)) + Data("data".utf8) + bytes(size)
    for sample in samples { data += bytes(sample) }
    let url = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID().uuidString).wav")
    try data.write(to: url)
    return url.path
  }

  private func read(_ player: FilePlayer, blocks: Int) -> [Float] {
    var block = [Float](repeating: 0, count: 1920)
    return (0..<blocks).flatMap { _ -> [Float] in
      player.read(&block)
      return block
    }
  }

  @Test("a loop has no gap and no click")
  func loop() throws {
    // 100 periods: the end continues at the start.
    let path = try Self.file(Signals.whole(Signals.sine(1000, 10_000, count: 4800)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let samples = read(try FilePlayer(path: path, end: .loop), blocks: 50)
    #expect(Signals.largestStep(samples) < 1320)
    let level = Signals.decibels(Signals.sine(1000, 10_000, count: 480))
    for start in stride(from: 0, to: samples.count, by: 960) {
      #expect(abs(Signals.decibels(samples[start..<start + 960]) - level) < 0.1)
    }
  }

  @Test("the callback chooses the next file; nil ends in silence")
  func next() throws {
    let first = try Self.file(Signals.whole(Signals.sine(1000, 10_000, count: 9600)))
    let second = try Self.file(Signals.whole(Signals.sine(2000, 10_000, count: 9600)))
    defer { for path in [first, second] { try? FileManager.default.removeItem(atPath: path) } }
    let waiting = Shared([second, "/nowhere.wav"])
    let player = try FilePlayer(path: first, end: .next { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    let samples = Signals.left(Signals.whole(read(player, blocks: 30)))
    #expect(ToneDetector.amplitude(of: 1000, in: samples[..<9600], sampleRate: 48_000) > 0.29)
    #expect(ToneDetector.amplitude(of: 2000, in: samples[9600..<19_200], sampleRate: 48_000) > 0.29)
    #expect(samples[19_200...].allSatisfy { $0 == 0 })
    #expect(player.isAtEnd)
    #expect(player.failures == 1)
  }

  @Test("a file joins a studio as a channel, with its volume")
  func channel() throws {
    let path = try Self.file(Signals.whole(Signals.sine(1000, 10_000, count: 4800)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let studio = SoundStudio()
    let player = try FilePlayer(path: path, end: .loop)
    player.volume = 0.5
    #expect(studio.play(player, as: "music"))
    let frames = try (0..<20).compactMap { try studio.next(at: MediaTime(milliseconds: $0 * 20)) }
    let samples = Signals.left(frames.suffix(10).flatMap(\.sound.samples))
    #expect(abs(ToneDetector.amplitude(of: 1000, in: samples, sampleRate: 48_000) * 32_768 - 5000) < 50)
  }

  @Test("a pause fades, keeps the place, and fades in again")
  func pause() throws {
    let path = try Self.file(Signals.whole(Signals.sine(500, 10_000, count: 48_000)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let player = try FilePlayer(path: path)
    var samples = read(player, blocks: 10)
    player.isPaused = true
    samples += read(player, blocks: 10)
    #expect(samples.suffix(1920 * 9).allSatisfy { $0 == 0 })
    player.isPaused = false
    samples += read(player, blocks: 38)
    #expect(!player.isAtEnd)
    #expect(Signals.largestStep(samples) < 700)
    // 49 of the file's 50 blocks were heard.
    samples = read(player, blocks: 2)
    #expect(player.isAtEnd && samples.suffix(1920).allSatisfy { $0 == 0 })
  }

  @Test("a file that is missing is an error")
  func missing() {
    #expect(throws: CodecError.self) { try FilePlayer(path: "/nowhere.wav") }
  }
}
