import ArgumentParser
import RoomCodecs
import Foundation
import RoomClient
import RoomMedia

/// Publishes a media file into a room, and prints the room's events and the tracks of others.
@main
struct PublishFile: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish-file", abstract: "Publishes a media file into a room and prints the events and tracks of others.")

  @Argument(help: "The signalling address: ws://127.0.0.1:8080/v1/signal")
  var url: String

  @Argument(help: "A room token with the grants publish and subscribe.")
  var token: String

  @Argument(help: "Any file that FFmpeg can read.")
  var file: String

  @Flag(help: "Start again at the end of the file.")
  var loop = false

  func run() async throws {
    let film = try MediaFileSource(path: file, loops: loop)
    let room = try await Room.connect(to: url, token: token, options: RoomOptions(audioLevels: true))
    say("joined \"\(room.name)\" as \(room.me?.userId ?? "?"); participants: \(room.participants.map(\.userId).sorted())")

    let listener = Task {
      var lastLevels = ContinuousClock.now
      for await event in room.events() {
        if case .audioLevels = event {
          // The event arrives five times a second.
          guard ContinuousClock.now - lastLevels > .seconds(1) else { continue }
          lastLevels = .now
        }
        report(event)
      }
    }
    try await room.publish(film.tracks)
    say("publishing \(file): \(film.tracks.map(\.tag).joined(separator: ", "))")
    film.start()

    // Ends with the film or with the room, whichever is first.
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await film.finished() }
      group.addTask { await listener.value }
      await group.next()
      film.stop()
      await room.leave()
    }
    say("left: \(room.state)")
  }

  private func report(_ event: RoomEvent) {
    switch event {
    case .joined(let participant): say("\(participant.userId) joined")
    case .left(let userId, let reason): say("\(userId) left: \(reason)")
    case .stateChanged(let state): say("connection: \(state)")
    case .audioLevels(let levels):
      for level in levels { say("\(level.userId) speaks at \(level.level) dB") }
    case .statistics(let statistics):
      for track in statistics.remoteTracks {
        say("\(track.userId) \(track.trackId): \(track.packets) packets, \(Int(track.kbps)) kbps, \(track.packetsLost) lost")
      }
    case .trackSubscribed(let track):
      say("receiving \(track.kind) of \(track.userId) (\(track.codec))")
      if track.kind == .video { Task { await watch(track) } } else { Task { await listen(to: track) } }
    default: break
    }
  }

  private func watch(_ track: RemoteTrack) async {
    guard let playback = try? VideoPlayback(track) else { return say("cannot decode \(track.codec)") }
    var size = (0, 0)
    for await picture in playback.frames where (picture.width, picture.height) != size {
      size = (picture.width, picture.height)
      say("video of \(track.userId): \(picture.width)x\(picture.height)")
    }
  }

  /// Prints the strongest tone once a second.
  private func listen(to track: RemoteTrack) async {
    guard let playback = try? AudioPlayback(track) else { return say("cannot decode \(track.codec)") }
    var second: [Int16] = []
    for await frame in playback.frames {
      second += frame.samples
      guard second.count >= 48_000 else { continue }
      if let tone = ToneDetector.strongestTone(in: second.suffix(9600), sampleRate: 48_000) {
        say("audio of \(track.userId): \(Int(tone.frequency.rounded())) Hz")
      }
      second = []
    }
  }
}

/// Writes a line without buffering, also to a pipe.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
