import RoomCodecs
import Foundation
import RoomClient
import RoomMedia
import RoomProtocol

/// One user of a room that publishes test signals and receives everyone else.
actor Bot {
  nonisolated let name: String
  private let url: String
  private let token: String
  private let video: VideoSource
  private let audio: AudioSource
  private var room: Room?
  /// Receptions by user.
  private var receptions: [UserID: Reception] = [:]
  private var lastFrames: UInt64 = 0
  private var lastBytes: UInt64 = 0
  private var lastReport = ContinuousClock.now

  /// - Parameter number: selects colour and pitch.
  init(name: String, number: Int, url: String, token: String, video: VideoConfiguration) throws {
    self.name = name
    self.url = url
    self.token = token
    self.video = try .testPattern(video, index: number)
    // Semitones of a pentatonic scale from A3: pleasant together, and easy to tell apart.
    let steps = [0, 4, 7, 9, 14]
    let semitones = Double(steps[number % steps.count] + 12 * (number / steps.count % 3))
    audio = try .tone(frequency: 220 * pow(2, semitones / 12), amplitude: 0.1)
  }

  /// Joins, publishes and receives until the room is closed. Returns the reason.
  func run() async -> String {
    do {
      let room = try await join()
      self.room = room
      let events = room.events()
      try await room.publish([video.track, audio.track])
      for await event in events {
        switch event {
        case .trackSubscribed(let track): receive(track)
        case .left(let userId, _): receptions[userId] = nil
        case .stateChanged(.closed(let reason)): return Self.words(reason)
        default: break
        }
      }
      return "the room is closed"
    } catch {
      return "\(error)"
    }
  }

  func leave() async {
    video.stop()
    audio.stop()
    await room?.leave()
  }

  /// Returns one line: what is sent, and what is received from each other user.
  func status() -> String {
    let now = ContinuousClock.now
    let seconds = max(0.001, (now - lastReport) / .seconds(1))
    lastReport = now
    let sent = video.statistics
    let (frames, bytes) = (sent.sent - lastFrames, sent.sentBytes - lastBytes)
    (lastFrames, lastBytes) = (sent.sent, sent.sentBytes)
    let state = room.map { "\($0.state)" } ?? "connecting"
    let sending = "sends \(Self.rounded(Double(frames) / seconds)) fps \(Self.rounded(Double(bytes) * 8 / 1000 / seconds)) kbps"
    let receiving = receptions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.report(over: seconds))" }
    return ([name, state, sending] + receiving).joined(separator: " | ")
  }

  /// Retries, because the server may still be starting.
  private func join() async throws -> Room {
    let patience = ContinuousClock.now + .seconds(15)
    while true {
      do {
        return try await Room.connect(to: url, token: token, options: RoomOptions(reconnect: .unlimited))
      } catch RoomClientError.connectFailed(let cause) {
        guard ContinuousClock.now < patience, !Task.isCancelled else { throw RoomClientError.connectFailed(cause) }
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private func receive(_ track: RemoteTrack) {
    let reception = receptions[track.userId] ?? Reception()
    receptions[track.userId] = reception
    switch track.kind {
    case .video: if let playback = try? VideoPlayback(track) { reception.watch(playback) }
    case .audio: if let playback = try? AudioPlayback(track) { reception.listen(to: playback) }
    }
  }

  private static func words(_ reason: CloseReason) -> String {
    switch reason {
    case .left: "left the room"
    case .kickedOut(let by): "kicked out by \(by.isEmpty ? "the API" : by)"
    case .roomClosed: "the room was closed"
    case .duplicateLogin: "the same user joined elsewhere"
    case .timedOut: "the server timed it out"
    case .serverStopping: "the server is shutting down"
    case .refused(let error): "rejected: \(error)"
    case .connectionLost(let error): "\(error)"
    }
  }

  private static func rounded(_ value: Double) -> String { String(Int(value.rounded())) }
}
