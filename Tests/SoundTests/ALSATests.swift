import Foundation
import RoomCodecs
import RoomSound
import RoomTestSupport
import Synchronization
import Testing

@Suite("Devices of ALSA", .serialized)
struct ALSATests {
  /// A configuration of ALSA with one device, whose sound is a file with a tone.
  private static let configuration: String = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "alsa-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var tone = ToneGenerator(frequency: 700, amplitude: 0.5, format: AudioFormat(sampleRate: 48_000, channels: 1))
    let samples = tone.next(480_000)
    let raw = folder.appending(path: "tone.raw")
    try? samples.withUnsafeBytes { try Data($0).write(to: raw) }
    let file = folder.appending(path: "alsa.conf")
    let text = """
      pcm.tone {
        type file
        slave.pcm { type null }
        file /dev/null
        infile "\(raw.path)"
        format raw
        hint { show on description "A tone of a file" }
      }
      """
    try? Data(text.utf8).write(to: file)
    return file.path
  }()

  init() { setenv("ALSA_CONFIG_PATH", Self.configuration, 1) }

  @Test("a microphone delivers the device's tone in frames of 10 ms, in order") func tone() async throws {
    let frames = Mutex<[AudioFrame]>([])
    let microphone = try ALSAMicrophone(device: "tone") { frame in
      frames.withLock { if $0.count < 40 { $0.append(frame) } }
      // The file has no clock of its own.
      usleep(10_000)
    }
    try await eventually("frames") { frames.withLock { $0.count == 40 } }
    microphone.stop()
    let captured = frames.withLock { $0 }
    #expect(captured.allSatisfy { $0.samples.count == 480 && $0.format.sampleRate == 48_000 })
    #expect(zip(captured, captured.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    let samples = captured.dropFirst(10).flatMap(\.samples)
    #expect(abs(ToneDetector.amplitude(of: 700, in: samples, sampleRate: 48_000) - 0.5) < 0.02)
    #expect(microphone.failure == nil)
  }

  @Test("devices are listed with a text; one that does not exist is an error") func devices() {
    #expect(ALSADevices().microphones.contains { $0.name == "tone" && $0.description == "A tone of a file" })
    #expect(throws: ALSAError.notFound("absent")) { try ALSAMicrophone(device: "absent") { _ in } }
  }
}
