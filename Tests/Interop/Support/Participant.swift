import RoomCodecs
import Foundation
import RoomClient
import RoomMedia
import RoomProtocol
import Synchronization
import Testing

/// A RoomClient that publishes a test pattern and a tone, and analyses the media of everyone else.
final class Participant: Sendable {
  let user: UserID
  let room: Room
  private let receivedMedia = ReceivedMedia()
  private let sources = Mutex<(video: VideoSource?, audio: AudioSource?)>((nil, nil))

  /// - Parameter network: the lossy network between this client and the server's media ports.
  static func join(
    _ server: TestServer, room: RoomName = "demo", as user: UserID, grants: Grants = [.publish, .subscribe],
    through network: BadNetwork? = nil
  ) async throws -> Participant {
    let token = try await server.token(user: user, room: room, grants: grants)
    return Participant(
      user: user, room: try await Room.connect(to: server.url, token: token, options: options(through: network)))
  }

  private static func options(through network: BadNetwork?) -> RoomOptions {
    var options = RoomOptions()
    if let network { options.mediaAddressOverride = { network.detour(for: $0) } }
    return options
  }

  static func join(
    _ server: ServerProcess, room: RoomName, as user: UserID, grants: Grants = [.publish, .subscribe],
    through network: BadNetwork? = nil
  ) async throws -> Participant {
    let token = try server.token(user: user, room: room, grants: grants)
    return Participant(
      user: user, room: try await Room.connect(to: server.url, token: token, options: options(through: network)))
  }

  private init(user: UserID, room: Room) {
    self.user = user
    self.room = room
    let events = room.events()
    Task { [receivedMedia] in
      for await event in events {
        if case .trackSubscribed(let track) = event { receivedMedia.attend(to: track) }
      }
    }
  }

  /// Publishes a picture of 320x180 at 15 fps with a clock in it, and a tone; nil omits either.
  func publish(video codec: VideoCodec?, tone: Double?, colour: Int = 0) async throws {
    // Key frames are sent only on request, so that a test detects whether they are requested.
    let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 250_000, keyFrameInterval: 0)
    let video = try codec.map {
      try VideoSource.testPattern(VideoConfiguration(codec: $0, speed: .ultrafast, settings), index: colour)
    }
    let audio = try tone.map { try AudioSource.tone(frequency: $0) }
    sources.withLock { $0 = (video, audio) }
    try await room.publish([audio?.track as (any LocalTrack)?, video?.track].compactMap { $0 })
  }

  /// Mutes or unmutes all published tracks.
  func mute(_ muted: Bool) async throws {
    let tracks = sources.withLock { [$0.audio?.track as (any LocalTrack)?, $0.video?.track].compactMap { $0 } }
    for track in tracks { try await room.mute(track, muted) }
  }

  func leave() async {
    await room.leave()
    sources.withLock { $0 = (nil, nil) }
  }

  func remoteTracks(of user: UserID) -> [RemoteTrack] { room.remoteTracks.filter { $0.userId == user } }
  /// Returns the codecs of the tracks received from `user`, video first.
  func codecs(of user: UserID) -> [String] {
    remoteTracks(of: user).sorted { $0.kind == .video && $1.kind == .audio }.map(\.codec.rawValue)
  }
  func pictures(of user: UserID) -> PictureLog { receivedMedia.state.withLock { $0.pictures[user] } ?? PictureLog() }
  func sound(of user: UserID) -> SoundLog { receivedMedia.state.withLock { $0.sounds[user] } ?? SoundLog() }
  func listening(to user: UserID) -> AudioPlayback.Statistics? {
    receivedMedia.state.withLock { $0.listening[user] }?.statistics
  }
  /// Starts the measurement in `pictures(of:).measured`.
  func startMeasuring(_ user: UserID) { receivedMedia.state.withLock { $0.pictures[user]?.startMeasuring() } }
}

/// The decoded media of each user.
private final class ReceivedMedia: Sendable {
  struct State: Sendable {
    var pictures: [UserID: PictureLog] = [:]
    var sounds: [UserID: SoundLog] = [:]
    // Retained, because a playback stops when it is released.
    var looking: [UserID: VideoPlayback] = [:]
    var listening: [UserID: AudioPlayback] = [:]
  }

  let state = Mutex(State())

  func attend(to track: RemoteTrack) {
    do {
      switch track.kind {
      case .video: look(try VideoPlayback(track, backlog: 64), at: track.userId)
      case .audio: listen(try AudioPlayback(track), to: track.userId)
      }
    } catch {
      Issue.record(error, "\(track.codec) of \(track.userId)")
    }
  }

  private func look(_ playback: VideoPlayback, at user: UserID) {
    state.withLock { $0.looking[user] = playback }
    Task { [weak self, frames = playback.frames] in
      for await picture in frames {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        self?.state.withLock { $0.pictures[user, default: PictureLog()].show(picture, now: now) }
      }
    }
  }

  private func listen(_ playback: AudioPlayback, to user: UserID) {
    state.withLock { $0.listening[user] = playback }
    Task { [weak self, frames = playback.frames] in
      for await frame in frames { self?.state.withLock { $0.sounds[user, default: SoundLog()].hear(frame) } }
    }
  }
}
