import RoomClient
import RoomMedia

/// Watches a room's stream at 360x640, and the room's tracks while the user is on a seat.
func watch(_ room: Room) async throws {
  let audience = Audience(room)
  try await audience.watch(.ownCDN(PlayPicture(width: 360, height: 640, fps: 15)))
  for await change in audience.changes() { await show(change, in: room) }
}

/// Counts the pictures of a stream until another way of watching follows.
private func show(_ change: AudienceChange, in room: Room) async {
  switch change {
  case .lowLatency: print("tracks: \(room.remoteTracks.map(\.trackId.rawValue).sorted())")
  case .stream(let player):
    for await picture in player.pictures {
      let measured = player.statistics
      if measured.shown % 100 == 1 { print("\(picture.width)x\(picture.height), \(measured.delay) behind") }
    }
  case .streamEnded(let failure): print("the stream ended: \(failure?.description ?? "")")
  case .failed(let failure): print("\(failure.code.rawValue): \(failure)")
  }
}
