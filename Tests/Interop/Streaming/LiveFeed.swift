import RoomCodecs
import RoomLinux
import RoomMedia
import RoomRTP
import RoomStreaming
import Synchronization

/// Feeds a session with noise, which uses up the bitrate, and with a tone, in real time. Records its events.
final class LiveFeed: Sendable {
  let session: StreamingSession
  private struct Seen: Sendable {
    var states: [StreamingState] = []
    var failures: [StreamingFailure] = []
    var statuses: [StreamingStatus] = []
  }
  private let seen = Mutex(Seen())
  private let skipped = Guarded(0)
  private let tasks: Mutex<[Task<Void, Never>]>

  /// - Parameter colour: selects the chroma of the picture.
  init(_ session: StreamingSession, width: Int = 320, height: Int = 180, fps: Int = 24, tone: Double = 440, colour: Int = 0) {
    self.session = session
    tasks = Mutex([])
    let events = session.events
    let listening = Task { [weak self] in
      for await event in events { self?.note(event) }
    }
    let feeding = Task.detached(priority: .high) { [session, skipped] in
      await Self.feed(session, skipped, TestPattern.colours[colour % TestPattern.colours.count], width, height, fps, tone)
    }
    tasks.withLock { $0 = [listening, feeding] }
  }

  deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

  /// The number of pictures that a busy encoder did not take.
  var skippedPictures: Int { skipped.withLock { $0 } }
  var states: [StreamingState] { seen.withLock { $0.states } }
  var failures: [StreamingFailure] { seen.withLock { $0.failures } }
  var statuses: [StreamingStatus] { seen.withLock { $0.statuses } }

  private func note(_ event: StreamingEvent) {
    seen.withLock { seen in
      switch event {
      case .state(let state, let failure):
        seen.states.append(state)
        if let failure { seen.failures.append(failure) }
      case .status(let status): seen.statuses.append(status)
      }
    }
  }

  private static func feed(
    _ session: StreamingSession, _ skipped: Guarded<Int>, _ colour: YUVColour, _ width: Int, _ height: Int, _ fps: Int,
    _ frequency: Double
  ) async {
    let clock = ContinuousClock()
    let origin = clock.now
    var tone = ToneGenerator(frequency: frequency, format: .mono48k)
    var pictures: Int64 = 0
    for step in Int64(0)... {
      let time = step * 20_000
      session.push(AudioFrame(samples: tone.next(960), format: .mono48k, timestamp: MediaTime(microseconds: time)))
      while pictures * 1_000_000 / Int64(fps) <= time {
        let stamp = MediaTime(microseconds: pictures * 1_000_000 / Int64(fps))
        if let frame = noise(colour, width, height, stamp), !session.push(frame) { skipped.withLock { $0 += 1 } }
        pictures += 1
      }
      do { try await clock.sleep(until: origin + .microseconds(time + 20_000), tolerance: .zero) } catch { return }
    }
  }

  /// Random luma. Pictures copy rows from random places: to compute each byte would cost a debug build a tenth of a core.
  private static let luma: [UInt8] = {
    var random = SystemRandomNumberGenerator()
    return (0..<65_536).map { _ in UInt8(truncatingIfNeeded: random.next()) & 0x3F }
  }()

  private static func noise(_ colour: YUVColour, _ width: Int, _ height: Int, _ time: MediaTime) -> VideoFrame? {
    guard var frame = try? VideoFrame(width: width, height: height, timestamp: time) else { return nil }
    frame.fill(colour)
    frame.withMutablePlanes { planes in
      luma.withUnsafeBytes { luma in
        for row in 0..<planes.height {
          let from = luma[Int.random(in: 0...(luma.count - planes.width))...].prefix(planes.width)
          UnsafeMutableRawBufferPointer(start: planes.y + row * planes.yStride, count: planes.width).copyBytes(from: from)
        }
      }
    }
    return frame
  }
}
