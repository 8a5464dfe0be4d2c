import RoomClient
import RoomCodecs
import RoomMedia
import RoomSound
import RoomStreaming
import RoomStudio

/// Changes the pictures of a camera: skin, a mirrored preview, a title.
func improve(_ camera: VideoSource, title: String) throws -> PictureStudio {
  let studio = PictureStudio()
  studio.settings.beauty = Beauty(smooth: 0.6, whiten: 0.3, redden: 0.2)
  studio.settings.mirror.preview = true
  if let text = try TextRenderer(size: 28).overlay(title, x: 16, y: 16) { studio.settings.texts = [text] }
  camera.studio = studio
  return studio
}

/// Passes what the anchor sees to the app.
func showPreview(of studio: PictureStudio, _ show: (VideoFrame) -> Void) async {
  for await picture in studio.previews() { show(picture) }
}

/// Plays music behind a voice that has the reverberation of a large room.
func playMusic(in studio: SoundStudio, _ path: String) throws {
  studio.settings.effects = [.reverb(.medium)]
  studio.settings.channels["music"] = .init(gain: -12, hasEffects: false)
  studio.play(try FilePlayer(path: path, end: .loop), as: "music")
}

/// Pushes to a live server. Pictures and sound are pushed meanwhile.
func pushLive(_ session: StreamingSession, to url: String) async throws {
  await session.set(StreamingOptions(reconnects: .default, minBitrate: 200_000))
  try await session.start(url)
}

/// Passes the pictures of a live stream to the app.
func play(_ url: String, _ show: (VideoFrame) -> Void) async {
  let player = StreamPlayer(url)
  for await picture in player.pictures { show(picture) }
}
