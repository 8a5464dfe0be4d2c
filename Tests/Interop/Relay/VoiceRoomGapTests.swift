import Foundation
import RoomClient
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomLoadtest

extension RealMedia {
  @Suite("Audio of a voice room")
  struct VoiceRoomGapTests {
    /// Settings of the two speakers who stay on their seats.
    private func settings(_ number: Int) -> SignalSource.Settings {
      var settings = SignalSource.Settings()
      (settings.number, settings.hasVideo, settings.amplitude, settings.beeps) = (number, false, 0.1, false)
      return settings
    }

    /// Takes a seat, speaks and leaves the seat.
    private func comeAndGo(_ server: TestServer, number: Int) async throws {
      let token = try await server.token(user: "guest-\(number)")
      let room = try await Room.connect(to: server.url, token: token)
      let source = try SignalSource(settings(2 + number))
      try await room.seats.take(publishing: source.tracks)
      // Real time: what the guest says.
      try await Task.sleep(for: .milliseconds(300))
      try await room.seats.leave()
      source.stop()
      await room.leave()
    }

    @Test(
      "listeners do not notice when users take and leave seats: no gap, no jump, no silence",
      .timeLimit(.minutes(2)))
    func upAndDown() async throws {
      try await withServer { server in
        let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","audience":"voice","seatsHost":false}"#)
        #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        let layout = try await server.api("POST", "/v1/rooms/demo/calls/setLayout", json: #"{"type":"gridThree"}"#)
        #expect(layout.status == 200, "\(String(decoding: layout.body, as: UTF8.self))")
        var steady: [(room: Room, source: SignalSource)] = []
        for number in 0..<2 {
          let token = try await server.token(user: "steady-\(number)", grants: [.publish, .subscribe, .admin])
          let room = try await Room.connect(to: server.url, token: token)
          let source = try SignalSource(settings(number))
          try await room.seats.take(number, publishing: source.tracks)
          steady.append((room, source))
        }
        var listeners: [MixListener] = []
        for number in 0..<5 {
          let token = try await server.token(user: "listener-\(number)", grants: [.subscribe])
          listeners.append(MixListener(try await Room.connect(to: server.url, token: token), settings(0)))
        }
        let ears = listeners
        try await eventually("all hear the room") { ears.allSatisfy { $0.isHearing } }
        var heard: [MixListener.MixMeasurement] = []
        // A machine that stalls causes a gap too, but not every time.
        for round in 0..<3 where round == 0 || !heard.allSatisfy(\.isWhole) {
          for listener in listeners { listener.begin() }
          for number in 0..<6 { try await comeAndGo(server, number: 6 * round + number) }
          heard = listeners.map(\.heard)
        }
        for heard in heard {
          #expect(heard.packets > 50)
          #expect(heard.steps == [960], "ticks from one packet to the next: \(heard.steps)")
          #expect(heard.silence <= 60, "\(heard.silence) ms of silence")
        }
        for listener in listeners { await listener.room.leave() }
        for (room, source) in steady {
          await room.leave()
          source.stop()
        }
      }
    }
  }
}

/// Receives the room's mix, and analyses its packet times and its audio.
private final class MixListener: Sendable {
  struct MixMeasurement: Sendable {
    var packets = 0
    /// Differences between consecutive packets' timestamps.
    var steps: Set<UInt32> = []
    /// Silence in milliseconds of media.
    var silence = 0.0

    var isWhole: Bool { packets > 50 && steps == [960] && silence <= 60 }
  }

  private struct State {
    var heard = MixMeasurement()
    var last: UInt32?
    var playback: AudioPlayback?
  }

  let room: Room
  private let watch: SignalWatch
  private let state = Mutex(State())

  init(_ room: Room, _ settings: SignalSource.Settings) {
    self.room = room
    watch = SignalWatch(settings, hasOneClock: true)
    let events = room.events()
    Task { [weak self] in
      for await event in events {
        if case .trackSubscribed(let track) = event, track.userId == "@mix" { self?.listen(to: track) }
      }
    }
  }

  private func listen(to track: RemoteTrack) {
    guard let playback = try? AudioPlayback(track, backlog: 200) else { return }
    state.withLock { $0.playback = playback }
    let (packets, sounds, watch) = (track.frames, playback.frames, watch)
    Task { [weak self] in
      for await packet in packets {
        self?.state.withLock { state in
          if let last = state.last { state.heard.steps.insert(packet.timestamp &- last) }
          state.last = packet.timestamp
          state.heard.packets += 1
        }
      }
    }
    Task { for await sound in sounds { watch.hear(sound.samples, media: Double(sound.timestamp.microseconds) / 1000) } }
  }

  var isHearing: Bool { watch.hasMedia && state.withLock { $0.heard.packets > 10 } }

  /// Discards what was received so far.
  func begin() {
    _ = watch.take()
    state.withLock { $0.heard = MixMeasurement() }
  }

  var heard: MixMeasurement {
    var heard = state.withLock { $0.heard }
    heard.silence = watch.take().longestQuiet ?? .infinity
    return heard
  }
}
