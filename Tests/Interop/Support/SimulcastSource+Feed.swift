import RoomCodecs
import RoomMedia
import RoomRTP

extension SimulcastSource {
  /// Pushes a test pattern of 640x360 at 24 fps until the task is cancelled.
  func feed() throws -> Task<Void, any Error> {
    let pattern = try TestPattern(width: 640, height: 360)
    return Task {
      for number in 0..<100_000 where !Task.isCancelled {
        let time = MediaTime(ticks: Int64(number), rate: 24)
        push(try pattern.frame(number: number, milliseconds: 0, timestamp: time))
        // The pace of a camera.
        try await Task.sleep(for: .milliseconds(41))
      }
    }
  }
}
