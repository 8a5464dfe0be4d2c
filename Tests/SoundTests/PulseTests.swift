import RoomCodecs
import RoomPeers
import RoomRTP
import RoomSound
import RoomTestSupport
import Foundation
import Testing

@Suite("Devices of a sound server", .serialized)
struct PulseTests {
  /// The left channel of what a device captured, and when the tone began.
  private struct Captured: Sendable {
    var samples: [Int16] = []
    var onset: ContinuousClock.Instant?

    mutating func add(_ frame: AudioFrame) {
      samples += Signals.left(frame.samples)
      if onset == nil, frame.level > 0.05 { onset = .now }
    }
  }

  @Test("a microphone's tone passes the studio and a clock-matched playback, and is heard within a second")
  func roundTrip() async throws {
    let server = try await SoundServer(sinks: ["voice", "speaker"])
    let isPlaying = Shared<ContinuousClock.Instant?>(nil)
    let isWanted = Shared(false)
    let tone = Shared(ToneGenerator(frequency: 440, amplitude: 0.3, format: .stereo48k))
    // The monitor of the sink "voice" is the microphone.
    let mouth = try PulsePlayback(device: "voice", server: server.address) { block in
      guard isWanted.value else { return block = [Int16](repeating: 0, count: 960) }
      isPlaying.withLock { if $0 == nil { $0 = .now } }
      block = tone.withLock { $0.next(480) }
    }

    let playout = Shared((ClockMatchedPlayout(.init(target: 100)), [Float](repeating: 0, count: 960)))
    let loudspeaker = try PulsePlayback(device: "speaker", server: server.address) { block in
      playout.withLock { state in
        state.0.read(&state.1)
        for index in block.indices { block[index] = Int16(max(-32_768, min(32_767, state.1[index]))) }
      }
    }
    let studio = Shared(SoundStudio(milliseconds: 10, queue: .init(target: 60)))
    let microphone = try PulseMicrophone(device: "voice.monitor", server: server.address, channels: 2) { frame in
      studio.withLock { studio in
        studio.push(frame, to: "microphone")
        while let frame = try? studio.next(at: frame.timestamp) { playout.withLock { $0.0.write(frame.sound.samples) } }
      }
    }
    let captured = Shared(Captured())
    let ear = try PulseMicrophone(device: "speaker.monitor", server: server.address, channels: 2) { frame in
      captured.withLock { $0.add(frame) }
    }

    try await eventually("silence is captured") { captured.value.samples.count > 9600 }
    #expect(captured.value.onset == nil)
    isWanted.value = true
    try await eventually("the tone is heard") { captured.value.onset != nil }
    // A busy machine may drop out now and then: 200 ms without is enough.
    try await eventually("the tone is heard as it was played") {
      let heard = captured.value.samples.suffix(9600)
      let strongest = ToneDetector.strongestTone(in: heard, sampleRate: 48_000)
      return abs((strongest?.frequency ?? 0) - 440) < 5 && abs((strongest?.amplitude ?? 0) - 0.3) < 0.02
    }

    let (from, to) = (try #require(isPlaying.value), try #require(captured.value.onset))
    let delay = to - from
    print("round trip through two sound devices and the studio: \(delay)")
    #expect(delay > .milliseconds(20) && delay < .seconds(1), "\(delay)")
    for device in [mouth.failure, loudspeaker.failure, microphone.failure, ear.failure] { #expect(device == nil) }
    for device in [mouth, loudspeaker] { device.stop() }
    for device in [microphone, ear] { device.stop() }
  }

  @Test("sinks, and their monitors as sources, are listed")
  func devices() async throws {
    let server = try await SoundServer(sinks: ["first", "second"])
    let devices = try PulseDevices(server: server.address)
    #expect(devices.sinks.map(\.name).sorted() == ["first", "second"])
    #expect(devices.sources.filter(\.isMonitor).map(\.name).sorted() == ["first.monitor", "second.monitor"])
  }

  @Test("devices that appear and vanish are announced, until the sound server ends")
  func changes() async throws {
    let server = try await SoundServer(sinks: ["first"])
    let seen = Shared<[[String]]>([])
    let changes = try PulseDevices.changes(server: server.address)
    let watching = Task {
      for await devices in changes { seen.withLock { $0.append(devices.sinks.map(\.name).sorted()) } }
    }
    try await eventually("the devices of the start") { seen.value.last == ["first"] }
    let module = try server.control("load-module module-null-sink sink_name=second")
    try await eventually("the second sink is announced") { seen.value.last == ["first", "second"] }
    _ = try server.control("unload-module \(module)")
    try await eventually("it vanishes") { seen.value.last == ["first"] }
    server.stop()
    await watching.value
    #expect(throws: PulseError.self) { try PulseDevices.changes(server: "unix:/nowhere") }
  }

  @Test("a device or a server that does not exist is an error with a reason")
  func missing() async throws {
    #expect(throws: PulseError.self) { try PulseDevices(server: "unix:/nowhere") }
    let server = try await SoundServer(sinks: ["first"])
    #expect(throws: PulseError.unavailable("No such entity")) {
      try PulsePlayback(device: "nothing", server: server.address) { _ in }
    }
  }
}
