import Foundation
import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

/// A participant that notes when the flashes and the tones of a ``Film`` begin.
final class FilmViewer: Sendable {
  struct State: Sendable {
    /// When each flash and each tone was decoded, in milliseconds since 1970.
    var flashes: [Int64] = []
    var tones: [Int64] = []
    /// The same on the clocks of the two tracks.
    var mediaFlashes: [Int64] = []
    var mediaTones: [Int64] = []
    var pictures = 0
    /// The brightness of the last picture without a flash.
    var background = 0
    var isWhite = true
    var isLoud = true
    var loudAt: Int64 = 0
    var ended: [PlayerEndedData] = []
    var looking: [VideoPlayback] = []
    var listening: [AudioPlayback] = []
  }

  let room: Room
  let state = Shared(State())

  init(_ server: TestServer, as user: UserID, grants: Grants = [.subscribe]) async throws {
    room = try await Room.connect(to: server.url, token: try await server.token(user: user, grants: grants))
    let events = room.events()
    for track in room.remoteTracks { try attend(to: track) }
    Task { [weak self] in
      for await event in events {
        switch event {
        case .trackSubscribed(let track):
          do { try self?.attend(to: track) } catch { Issue.record(error, "\(track.codec)") }
        case .playerEnded(let data): self?.state.withLock { $0.ended.append(data) }
        default: break
        }
      }
    }
  }

  /// Forgets what was noted.
  func begin() {
    state.withLock { state in
      (state.flashes, state.tones, state.mediaFlashes, state.mediaTones, state.pictures) = ([], [], [], [], 0)
      (state.isWhite, state.isLoud) = (true, true)
    }
  }

  /// How long after its flash each tone was decoded, in milliseconds.
  var apart: [Int64] {
    let (flashes, tones) = state.withLock { ($0.flashes, $0.tones) }
    return flashes.compactMap { flash in tones.first { abs($0 - flash) < 900 }.map { $0 - flash } }
  }

  /// How much the time between flash and tone differs by the clocks of the tracks, in milliseconds.
  var drift: Int64 {
    let differences = state.withLock { state in zip(state.mediaFlashes, state.mediaTones).map { $1 - $0 } }
    return (differences.max() ?? 0) - (differences.min() ?? 0)
  }

  private func attend(to track: RemoteTrack) throws {
    switch track.kind {
    case .video:
      let playback = try VideoPlayback(track, backlog: 64)
      state.withLock { $0.looking.append(playback) }
      Task { [weak self, frames = playback.frames] in for await picture in frames { self?.look(picture) } }
    case .audio:
      let playback = try AudioPlayback(track)
      state.withLock { $0.listening.append(playback) }
      Task { [weak self, frames = playback.frames] in for await frame in frames { self?.listen(frame) } }
    }
  }

  private func look(_ picture: VideoFrame) {
    let luma = picture.withPlanes { Int($0.y[$0.yStride * 90 + 160]) }
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    state.withLock { state in
      state.pictures += 1
      let isWhite = luma > 200
      if isWhite, !state.isWhite {
        state.mediaFlashes.append(picture.timestamp.milliseconds)
        state.flashes.append(now)
      }
      if !isWhite { state.background = luma }
      state.isWhite = isWhite
    }
  }

  private func listen(_ frame: AudioFrame) {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    state.withLock { state in
      for (index, sample) in frame.samples.enumerated() where abs(Int(sample)) > 3000 {
        let time = frame.timestamp.milliseconds + Int64(index / frame.format.channels * 1000 / frame.format.sampleRate)
        if time - state.loudAt > 500 {
          state.mediaTones.append(time)
          state.tones.append(now)
        }
        state.loudAt = time
      }
    }
  }
}
