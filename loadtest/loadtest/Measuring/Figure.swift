/// The figures that a run can measure.
enum Figure: String, Sendable, CaseIterable {
  case join = "join_ms"
  case firstMedia = "first_frame_ms"
  case delay = "delay_ms"
  case soundDelay = "sound_delay_ms"
  case offset = "av_offset_ms"
  case fps
  case paused = "paused_percent"
  case freeze = "freeze_ms"
  case still = "still_pictures"
  case silence = "silence_ms"
  case audioGap = "audio_gap_ms"
  case loss = "loss_percent"
  case takeover = "takeover_gap_ms"
  case takeoverSound = "takeover_sound_gap_ms"
  case call = "call_ms"
  case present = "present"
  case failures
  case serverCPU = "server_cpu_percent"
  case serverMemory = "server_memory_mb"
  case botsCPU = "bots_cpu_percent"
  case othersCPU = "others_cpu_percent"
  case botsLate = "bots_late_ms"

  struct Words: Sendable {
    var title: String
    /// The unit printed after a number; empty for a count.
    var unit: String
    var about: String
  }

  var words: Words {
    switch self {
    case .join:
      Words(title: "Joining", unit: "ms", about: "from the first packet to the server until a bot has joined the room")
    case .firstMedia:
      Words(
        title: "First media", unit: "ms",
        about: "from the start of the join or the request until the first media arrives")
    case .delay:
      Words(
        title: "Video delay", unit: "ms",
        about: "from drawing a picture until a viewer has decoded it, by the clock in the picture")
    case .soundDelay:
      Words(title: "Audio delay", unit: "ms", about: "from a beep at its source until it is decoded")
    case .offset:
      Words(title: "Audio after video", unit: "ms", about: "from a flash until the beep that belongs to it")
    case .fps: Words(title: "Pictures per second", unit: "fps", about: "received by a viewer, for each second")
    case .paused:
      Words(
        title: "Paused", unit: "%",
        about: "whether, in a second, the server stated that a viewer's connection does not carry the video or the audio")
    case .freeze: Words(title: "Longest wait for a picture", unit: "ms", about: "in each second, at a viewer that decodes")
    case .still:
      Words(
        title: "Pictures that stand still", unit: "",
        about: "in each second, of all that decoding participants see of each other: none for 3 s, and not stated as paused")
    case .silence:
      Words(title: "Longest silence", unit: "ms", about: "in each second, in decoded audio that never pauses at its source")
    case .audioGap:
      Words(
        title: "Longest audio gap", unit: "ms",
        about:
          "in each second, for each listener: how long a player without a buffer had nothing to play, or how much is missing between packets"
      )
    case .loss:
      Words(title: "Packets lost", unit: "%", about: "in each second, for each receiver, before retransmission")
    case .takeover:
      Words(
        title: "Takeover, pictures", unit: "ms",
        about: "longest step between two pictures' timestamps while a broadcast changes")
    case .takeoverSound:
      Words(
        title: "Takeover, audio", unit: "ms",
        about: "longest step between two audio packets' timestamps while a broadcast changes")
    case .call: Words(title: "Calls", unit: "ms", about: "from a request to the server until it is completed")
    case .present: Words(title: "Bots in the room", unit: "", about: "connected at the time")
    case .failures: Words(title: "Failures", unit: "", about: "joins, calls and viewers that failed")
    case .serverCPU: Words(title: "Server's CPU", unit: "%", about: "percentage of one core, for the server's whole process")
    case .serverMemory: Words(title: "Server's memory", unit: "MB", about: "resident")
    case .botsCPU: Words(title: "Bots' CPU", unit: "%", about: "percentage of one core")
    case .botsLate:
      Words(
        title: "Bots' lateness", unit: "ms",
        about:
          "in each second, for each source: how late it sent because this machine was busy; this part of a delay is not the server's"
      )
    case .othersCPU:
      Words(
        title: "Others' CPU", unit: "%",
        about: "percentage of one core, for all other processes: if it is high, the measurements are less reliable")
    }
  }
}
