import RoomCClient
import RoomCodecs
import RoomSound
import Synchronization

private let gains = -96.0...24.0

@c @implementation
public func rc_sound_create(_ sound: UnsafeMutablePointer<OpaquePointer?>?) -> rc_status {
  attempt { try give(sound, "sound") { SoundHandle() } }
}

@c @implementation
public func rc_track_set_sound(_ track: OpaquePointer?, _ sound: OpaquePointer?) -> rc_status {
  attempt {
    let sound = try sound.map { try SoundHandle.named($0) }
    try TrackHandle.named(track).setSound { push in sound?.connect(SoundOutput(push: push)) }
  }
}

@c @implementation
public func rc_sound_push(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ pcm: UnsafePointer<rc_pcm>?
) -> rc_status {
  attempt { try SoundHandle.named(sound).push(try AudioFrame(pcm), to: try SoundHandle.channel(channel)) }
}

@c @implementation
public func rc_sound_set_channel(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ gain: Double, _ muted: Bool, _ hasEffects: Bool
) -> rc_status {
  attempt {
    let (handle, name) = (try SoundHandle.named(sound), try SoundHandle.channel(channel))
    try handle.setChannel(
      name, .init(gain: try number(gain, "gain", in: gains), isMuted: muted, hasEffects: hasEffects))
  }
}

@c @implementation
public func rc_sound_remove_channel(_ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?) -> rc_status {
  attempt { try SoundHandle.named(sound).remove(try SoundHandle.channel(channel)) }
}

@c @implementation
public func rc_sound_set_gain(_ sound: OpaquePointer?, _ gain: Double) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    let gain = try number(gain, "gain", in: gains)
    try handle.change { $0.gain = gain }
  }
}

@c @implementation
public func rc_sound_set_effects(_ sound: OpaquePointer?, _ effects: UnsafePointer<rc_effect>?, _ count: Int) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    let effects = try elements(effects, count, "effects", most: EffectChain.most).map { effect throws(Refusal) in
      try Effect(effect)
    }
    try handle.change { $0.effects = effects }
  }
}

@c @implementation
public func rc_sound_set_voice(_ sound: OpaquePointer?, _ options: UnsafePointer<rc_voice_options>?) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    guard let options else { return try handle.change { $0.voice = nil } }
    let given = try structure(options, rc_voice_options(), "options")
    let noise = try integer(given.noise.rawValue, "noise", in: -1...3)
    let settings = VoiceProcessing.Settings(
      cancelsEcho: given.cancels_echo, noiseSuppression: VoiceProcessing.NoiseSuppression(rawValue: noise),
      adjustsGain: given.adjusts_gain, delay: try integer(given.delay_ms, "delay_ms", in: 0...500))
    let channel = given.channel == nil ? "microphone" : try SoundHandle.channel(given.channel)
    // Only checks the settings: the studio makes its own.
    _ = try VoiceProcessing(settings)
    try handle.change { ($0.voice, $0.voiceChannel) = (settings, channel) }
  }
}

@c @implementation
public func rc_sound_played(_ sound: OpaquePointer?, _ pcm: UnsafePointer<rc_pcm>?) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    let frame = try AudioFrame(pcm)
    guard frame.format == .stereo48k else { throw Refusal.argument("pcm", "is not stereo at 48 kHz") }
    handle.played(frame.samples)
  }
}

@c @implementation
public func rc_sound_play(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ loop: Bool,
  _ queue: OpaquePointer?, _ onFile: rc_on_file?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  attempt {
    let (handle, name) = (try SoundHandle.named(sound), try SoundHandle.channel(channel))
    let path = try text(path, "path")
    let file: SoundFile
    if onFile != nil {
      let callback = try Callback(onFile, context)
      let number = UInt(bitPattern: sound)
      file = SoundFile(path, loops: loop, on: try EventQueue.named(queue)) { path in
        guard let sound = OpaquePointer(bitPattern: number) else { return }
        if let path {
          path.withCString { callback.function(callback.context, sound, $0) }
        } else {
          callback.function(callback.context, sound, nil)
        }
      }
    } else {
      file = SoundFile(path, loops: loop, on: nil) { _ in }
    }
    try handle.play(path, as: name, file)
  }
}

@c @implementation
public func rc_sound_play_next(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?
) -> rc_status {
  attempt {
    let (handle, name) = (try SoundHandle.named(sound), try SoundHandle.channel(channel))
    let path = try optionalText(path, "path")
    try handle.withFile(name) { $1.setNext(path) }
  }
}

@c @implementation
public func rc_sound_set_file(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ volume: Double, _ paused: Bool
) -> rc_status {
  attempt {
    let (handle, name) = (try SoundHandle.named(sound), try SoundHandle.channel(channel))
    let volume = try number(volume, "volume", in: 0...4)
    try handle.withFile(name) { player, _ in (player.volume, player.isPaused) = (volume, paused) }
  }
}

@c @implementation
public func rc_sound_set_ear(_ sound: OpaquePointer?, _ ear: rc_ear, _ gain: Double) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    let gain = try number(gain, "gain", in: gains)
    let kind: SoundSettings.EarReturn
    switch ear {
    case RC_EAR_OFF: kind = .off
    case RC_EAR_DRY: kind = .dry
    case RC_EAR_PROCESSED: kind = .processed
    default: throw Refusal.argument("ear", "is \(ear.rawValue), not 0 to 2")
    }
    try handle.change { ($0.earReturn, $0.earGain) = (kind, gain) }
  }
}

@c @implementation
public func rc_sound_read(
  _ sound: OpaquePointer?, _ ear: Bool, _ queue: OpaquePointer?, _ onPCM: rc_on_pcm?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (handle, queue) = (try SoundHandle.named(sound), try EventQueue.named(queue))
    let callback = try Callback(onPCM, context)
    let tap = SoundTap()
    let feed = handle.connect(SoundOutput(isEar: ear, push: { tap.push($0) }, end: { tap.finish() }))
    tap.onEnd { feed.end() }
    try ReaderHandle(on: queue) { tap.dropped }.give(to: reader, tap.frames) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_sound_level(
  _ sound: OpaquePointer?, _ channel: UnsafePointer<CChar>?, _ loudness: UnsafeMutablePointer<rc_loudness>?
) -> rc_status {
  attempt {
    let handle = try SoundHandle.named(sound)
    let level = handle.level(of: channel == nil ? nil : try SoundHandle.channel(channel))
    guard let loudness else { throw Refusal.argument("loudness", "is NULL") }
    loudness.pointee = rc_loudness(rms: level.rms, peak: level.peak)
  }
}

extension Effect {
  fileprivate init(_ effect: rc_effect) throws(Refusal) {
    switch effect.type {
    case RC_EFFECT_GAIN: self = .gain(try number(effect.gain, "gain", in: gains))
    case RC_EFFECT_REVERB:
      self = .reverb(
        .init(
          gain: effect.gain, roomSize: effect.room_size, decayTimeAt0Hz: effect.decay, decayTimeAtNyquist: effect.decay_high,
          mix: effect.mix))
    case RC_EFFECT_ECHO: self = .echo(.init(delay: effect.delay, feedback: effect.feedback, mix: effect.mix))
    case RC_EFFECT_PITCH: self = .pitch(try number(effect.semitones, "semitones", in: -12...12))
    default: throw .argument("type", "is \(effect.type.rawValue), not 0 to 3")
    }
  }
}
