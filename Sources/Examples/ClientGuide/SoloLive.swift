import RoomClient
import RoomMedia
import RoomProtocol

/// An anchor on air. The anchor keeps the sources, because a source that is released stops.
struct Anchor {
  let room: Room
  let camera: VideoSource
  let microphone: AudioSource
}

/// Joins a room, publishes a test picture and a tone, and sends both to a CDN.
func goLive(_ url: String, token: String, to cdn: String, preset: VideoPreset = .medium1) async throws -> Anchor {
  let room = try await Room.connect(to: url, token: token)
  let camera = try VideoSource.testPattern(preset.configuration())
  let microphone = try AudioSource.tone(frequency: 440)
  try await room.publish([camera.track, microphone.track])
  // After a crash and a restart within the grace time, the job and the PK still exist.
  if !room.jobs.all.contains(where: { $0.jobId == "live" }) {
    try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: "\(cdn)?serialnum=1"))
  }
  if room.pk.current?.connected == false { try await room.pk.resume() }
  return Anchor(room: room, camera: camera, microphone: microphone)
}

/// Prints the events until the room is closed.
func printEvents(in room: Room) async {
  for await event in room.events() {
    switch event {
    case .joined(let participant): print("\(participant.userId) joined")
    case .left(let userId, let reason): print("\(userId) left: \(reason)")
    case .message(let message): print("\(message.userId): \(message.text ?? message.kind.rawValue)")
    case .jobChanged(let job): print("\(job.jobId) is \(job.state)")
    case .jobEnded(let jobId, let reason, let failure): print("\(jobId) ended: \(reason) \(failure?.message ?? "")")
    case .stateChanged(.reconnecting(let attempt)): print("connection lost, try \(attempt)")
    case .refreshed(let state): print("connected again, changes were missed; on the seats: \(state.seats.compactMap(\.userId))")
    case .stateChanged(.closed(let reason)): print("closed: \(reason)")
    default: break
    }
  }
}
