import ArgumentParser
import Foundation
import RoomRTP
import RoomClient

/// Forwards an H.264 elementary stream unchanged into a room. No codec is linked.
///
///     ffmpeg -re -i film.mp4 -an -c:v copy -bsf:v h264_mp4toannexb -f h264 - | forward-elementary-stream --token …
@main struct ForwardElementaryStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward-elementary-stream",
    abstract: "Forwards an H.264 elementary stream (Annex B) from a file or from standard input into a room.")

  @Option(help: "The signalling address.") var url = "ws://127.0.0.1:8080/v1/signal"
  @Option(help: "A room token with the grant publish.") var token: String
  @Option(help: "Frames per second of the stream.") var fps = 25
  @Option(help: "Announced width in pixels.") var width = 1280
  @Option(help: "Announced height in pixels.") var height = 720
  @Option(help: "The track's tag.") var tag = "camera"
  @Flag(help: "Start again at the end of the file.") var loop = false
  @Argument(help: "The file; standard input if absent or \"-\".") var file: String?

  func validate() throws {
    guard (1...240).contains(fps) else { throw ValidationError("--fps must be 1…240") }
    guard width > 0, height > 0 else { throw ValidationError("--width and --height must be positive") }
    if loop, file ?? "-" == "-" { throw ValidationError("--loop needs a file") }
  }

  func run() async throws {
    let room = try await Room.connect(to: url, token: token, options: RoomOptions(autoSubscribe: false))
    let track = LocalVideoTrack(codec: .h264, tag: tag, width: width, height: height, fps: fps)
    try await room.publish([track])
    let name = room.name
    say("forwarding into room \(name)")
    let watch = Task {
      for await event in room.events() {
        switch event {
        case .stateChanged(let state): say("\(state)")
        case .statistics(let report):
          guard let sent = report.localTracks.first else { continue }
          say(String(format: "%.1f fps, %.0f kbps, %.1f %% lost", sent.fps, sent.kbps, sent.loss * 100))
        default: break
        }
      }
    }
    var number = 0
    repeat { try await forward(into: track, of: room, &number) } while loop && !room.state.isClosed
    await room.leave()
    watch.cancel()
  }

  /// Sends the stream once, each frame at its time.
  private func forward(into track: LocalVideoTrack, of room: Room, _ number: inout Int) async throws {
    let input =
      try file.flatMap { $0 == "-" ? nil : try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? .standardInput
    let clock = ContinuousClock()
    let start = clock.now - .seconds(Double(number) / Double(fps))
    var units = AccessUnits()
    var isOver = false
    while !isOver, !room.state.isClosed {
      let bytes = try input.read(upToCount: 1 << 16) ?? Data()
      isOver = bytes.isEmpty
      guard let whole = isOver ? units.finish() : units.append(bytes) else {
        throw ValidationError("the input is not an H.264 elementary stream")
      }
      for unit in whole {
        try await clock.sleep(until: start + .seconds(Double(number) / Double(fps)))
        let timestamp = UInt32(truncatingIfNeeded: Int64(number) * 90_000 / Int64(fps))
        // A forwarded stream cannot produce key frames on request: viewers wait for the next one.
        track.send(EncodedFrame(data: unit.data, timestamp: timestamp, isKeyFrame: unit.isKeyFrame))
        number += 1
      }
    }
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
