/// The figures that a run can measure.
enum Figure: String, Sendable, CaseIterable {
  case join = "join_ms"
  case firstMedia = "first_frame_ms"
  case delay = "delay_ms"
  case soundDelay = "sound_delay_ms"
  case offset = "av_offset_ms"
  case fps
  case freeze = "freeze_ms"
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
      Words(title: "Joining", unit: "ms", about: "from the first packet to the server until the room has let a bot in")
    case .firstMedia:
      Words(
        title: "First picture or sound", unit: "ms",
        about: "from the beginning of the join, or of the request, until the first media is there")
    case .delay:
      Words(
        title: "Delay of the picture", unit: "ms",
        about: "from the drawing of a picture until a viewer has decoded it, by the clock in the picture")
    case .soundDelay:
      Words(title: "Delay of the sound", unit: "ms", about: "from a beep at its source until it was decoded")
    case .offset:
      Words(title: "Sound after picture", unit: "ms", about: "how much later a beep comes than the flash that belongs to it")
    case .fps: Words(title: "Pictures a second", unit: "fps", about: "that came to a viewer, second by second")
    case .freeze: Words(title: "Longest wait for a picture", unit: "ms", about: "of each second, at a viewer that decodes")
    case .silence:
      Words(title: "Longest silence", unit: "ms", about: "of each second, in decoded sound that never pauses at its source")
    case .audioGap:
      Words(
        title: "Longest gap in the sound", unit: "ms",
        about:
          "of each second and each listener: how long a player that waits for nothing had nothing to play, or what is missing between packets"
      )
    case .loss:
      Words(title: "Packets lost", unit: "%", about: "of each second and each receiver, before anything is sent again")
    case .takeover:
      Words(
        title: "Takeover, pictures", unit: "ms",
        about: "longest step between two pictures' timestamps while a broadcast changes hands")
    case .takeoverSound:
      Words(
        title: "Takeover, sound", unit: "ms",
        about: "longest step between two sound packets' timestamps while a broadcast changes hands")
    case .call: Words(title: "Calls", unit: "ms", about: "from asking the server for something until it is done")
    case .present: Words(title: "Bots in the room", unit: "", about: "that are there")
    case .failures: Words(title: "Failures", unit: "", about: "joins, calls and viewers that failed")
    case .serverCPU: Words(title: "Server's CPU", unit: "%", about: "of one core, the server's whole process")
    case .serverMemory: Words(title: "Server's memory", unit: "MB", about: "resident")
    case .botsCPU: Words(title: "Bots' CPU", unit: "%", about: "of one core")
    case .botsLate:
      Words(
        title: "Bots' lateness", unit: "ms",
        about:
          "of each second and each source: how late it sent, for want of time on this machine; that much is not the server's")
    case .othersCPU:
      Words(
        title: "Others' CPU", unit: "%",
        about: "of one core, by whatever else runs on the machine: what was measured is worth less where this is much")
    }
  }
}
