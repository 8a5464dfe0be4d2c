import RoomClient
import RoomMedia
import RoomProtocol

/// Hosts a voice room with nine seats, and accepts requests while seats are free.
func host(_ room: Room, title: String) async throws {
  let events = room.events()
  if room.seats.layout.type != .gridNine { try await room.seats.setLayout(.gridNine) }
  try await room.attributes.set(["title": title])
  for await event in events {
    switch event {
    case .seatRequested(let request):
      do {
        try await room.seats.accept(request.userId)
      } catch let error as RoomError where error.code == .seatsFull || error.code == .seatLocked {
        try await room.seats.reject(request.userId)
        try await room.messages.send("All seats are taken. Ask again later.", to: request.userId)
      } catch let error as RoomError where error.code == .acceptFailed {
        // The user cancelled the request, or left, at the same moment.
      }
    case .message(let message) where message.text == "!quiet":
      for seat in room.seats.all where seat.userId != room.me?.userId { try await room.seats.set(seat.index, muted: true) }
    default: break
    }
  }
}

/// Requests a seat and speaks on it for some time, or until the seat is lost. Returns false if no seat was given.
func speak(in room: Room, for time: Duration) async throws -> Bool {
  let me = room.me?.userId
  let events = room.seats.events()
  let microphone = try AudioSource.tone(frequency: 300)
  print("welcome to \(room.attributes["title"] ?? room.name.rawValue)")
  try await room.seats.request()
  for await event in events {
    switch event {
    case .requestEnded(let end) where end.userId == me && end.outcome != .accepted: return false
    case .changed(let change) where change.userId == me && change.seat.userId == me:
      try await room.publish([microphone.track])
      try await room.messages.send("hello from seat \(change.seat.index)")
      Task {
        try await Task.sleep(for: time)
        // Leaving the seat is enough: the server unpublishes the track.
        try await room.seats.leave()
      }
    case .changed(let change) where change.userId == me: return true
    case .layoutChanged(let change) where change.off.contains(me ?? ""): return true
    default: break
    }
  }
  return true
}
