import Foundation
import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol

/// Joins, and publishes a camera and a microphone that the app feeds.
func joinAndPublish(_ url: String, token: String) async throws -> (Room, VideoSource, AudioSource) {
  let room = try await Room.connect(to: url, token: token, options: RoomOptions(audioLevels: true))
  let (microphone, camera) = try await room.publish(video: VideoPreset.medium1.configuration())
  return (room, camera, microphone)
}

/// Passes each picture of a remote track to the app.
func showPictures(of track: RemoteTrack, _ show: (VideoFrame) -> Void) async throws {
  let playback = try VideoPlayback(track)
  for await picture in playback.frames { show(picture) }
}

/// Passes the user who is the loudest to the app, five times a second.
func showSpeaker(in room: Room, _ show: (UserID?) -> Void) async {
  for await event in room.events() {
    if case .audioLevels(let levels) = event { show(levels.max { $0.level < $1.level }?.userId) }
  }
}

/// Takes the first free seat with a microphone, and leaves it.
func speakOnSeat(_ room: Room, _ microphone: AudioSource) async throws {
  let index = try await room.seats.take(publishing: [microphone.track])
  print("on seat \(index)")
  try await room.seats.leave()
}

/// Sends a message, a gift and an attribute of the room.
func talk(in room: Room) async throws {
  try await room.messages.send("hello")
  try await room.messages.sendGift("rose", count: 3)
  try await room.attributes.set(["title": "Friday evening"])
}

/// Invites the anchor of another room to a PK of five minutes.
func invite(_ other: RoomName, from room: Room) async throws {
  let invitation = try await room.pk.invite(in: other, duration: 300)
  print("invited: \(invitation.pkId)")
}

/// Asks the server to send this anchor to a CDN, and to stop.
func goOnAir(_ room: Room, at url: String) async throws {
  try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: url))
  try await room.jobs.stop("live")
}

/// Makes a report that the app can send to its support.
func report(_ diagnostics: Diagnostics, checking url: String) async throws -> String {
  String(decoding: try await diagnostics.report(checking: url).json(), as: UTF8.self)
}
