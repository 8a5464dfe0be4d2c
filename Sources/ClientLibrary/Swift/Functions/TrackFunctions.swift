import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomRTP

@c @implementation
public func rc_track_create_video(
  _ options: UnsafePointer<rc_video_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try VideoOptions(options)
    try give(track, "track") {
      TrackHandle(.video(try VideoSource(options.configuration, tag: options.tag, isMain: options.isMain)))
    }
  }
}

@c @implementation
public func rc_track_create_audio(
  _ options: UnsafePointer<rc_audio_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try AudioOptions(options)
    try give(track, "track") {
      TrackHandle(.audio(try AudioSource(options.settings, tag: options.tag, isMain: options.isMain)))
    }
  }
}

@c @implementation
public func rc_track_create_simulcast(
  _ options: UnsafePointer<rc_video_options>?, _ layers: Int32, _ minBitrate: Int32,
  _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try VideoOptions(options)
    let (settings, layers) = (options.configuration.settings, try integer(layers, "layers", in: 2...3))
    let lowest = try integer(minBitrate, "min_bitrate", in: 0...100_000_000)
    let smaller = [.smallLayer(of: settings)] + (layers == 3 ? [VideoEncoderSettings.middleLayer(of: settings)] : [])
    try give(track, "track") {
      TrackHandle(
        .simulcast(
          try SimulcastSource(
            options.configuration, smaller: smaller, minBitrate: lowest == 0 ? nil : lowest, tag: options.tag,
            isMain: options.isMain)))
    }
  }
}

@c @implementation
public func rc_track_create_test_picture(
  _ options: UnsafePointer<rc_video_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try VideoOptions(options)
    try give(track, "track") {
      TrackHandle(.video(try .testPattern(options.configuration, tag: options.tag, isMain: options.isMain)))
    }
  }
}

@c @implementation
public func rc_track_create_tone(
  _ frequency: Double, _ options: UnsafePointer<rc_audio_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try AudioOptions(options)
    guard (1...20_000).contains(frequency) else { throw Refusal.argument("frequency", "is not 1 to 20000") }
    try give(track, "track") {
      TrackHandle(.audio(try .tone(frequency: frequency, options.settings, tag: options.tag, isMain: options.isMain)))
    }
  }
}

@c @implementation
public func rc_track_create_encoded_video(
  _ options: UnsafePointer<rc_video_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try VideoOptions(options)
    try give(track, "track") { TrackHandle(.encodedVideo(options.encodedTrack)) }
  }
}

@c @implementation
public func rc_track_create_encoded_audio(
  _ options: UnsafePointer<rc_audio_options>?, _ track: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let options = try AudioOptions(options)
    try give(track, "track") { TrackHandle(.encodedAudio(options.encodedTrack)) }
  }
}

@c @implementation
public func rc_track_push_i420(_ track: OpaquePointer?, _ picture: UnsafePointer<rc_i420>?) -> rc_status {
  attempt { try TrackHandle.named(track).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_track_push_nv12(_ track: OpaquePointer?, _ picture: UnsafePointer<rc_nv12>?) -> rc_status {
  attempt { try TrackHandle.named(track).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_track_push_rgb(_ track: OpaquePointer?, _ picture: UnsafePointer<rc_rgb>?) -> rc_status {
  attempt { try TrackHandle.named(track).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_track_push_pcm(_ track: OpaquePointer?, _ pcm: UnsafePointer<rc_pcm>?) -> rc_status {
  attempt { try TrackHandle.named(track).push(try AudioFrame(pcm)) }
}

@c @implementation
public func rc_track_reconfigure(_ track: OpaquePointer?, _ options: UnsafePointer<rc_video_options>?) -> rc_status {
  attempt {
    let source = try TrackHandle.named(track).videoSource("track")
    try source.reconfigure(try VideoOptions(options).configuration)
  }
}

@c @implementation
public func rc_track_send(_ track: OpaquePointer?, _ frame: UnsafePointer<rc_encoded>?, _ level: Int32) -> rc_status {
  attempt {
    let handle = try TrackHandle.named(track)
    try handle.send(try EncodedFrame(frame), level: min(0, max(-127, Int(level))))
  }
}

@c @implementation
public func rc_track_listen(
  _ track: OpaquePointer?, _ queue: OpaquePointer?, _ onSignal: rc_on_signal?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  attempt {
    let (handle, queue) = (try TrackHandle.named(track), try EventQueue.named(queue))
    guard let onSignal else { throw Refusal.argument("on_signal", "is NULL") }
    let callback = SignalCallback(track: UInt(bitPattern: track), callback: onSignal, context: context)
    try handle.listen { TrackSignals($0, on: queue, callback) }
  }
}

@c @implementation
public func rc_track_id(
  _ track: OpaquePointer?, _ id: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt { try give(try TrackHandle.named(track).track.trackId?.rawValue, to: id, "id") }
}

@c @implementation
public func rc_room_publish(
  _ room: OpaquePointer?, _ tracks: UnsafePointer<OpaquePointer?>?, _ count: Int, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let tracks = try TrackHandle.named(tracks, count)
    return { room in try await room.publish(tracks) }
  }
}

@c @implementation
public func rc_room_unpublish(
  _ room: OpaquePointer?, _ tracks: UnsafePointer<OpaquePointer?>?, _ count: Int, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let tracks = try TrackHandle.named(tracks, count)
    return { room in
      if tracks.isEmpty { try await room.unpublish() } else { try await room.unpublish(tracks) }
    }
  }
}

@c @implementation
public func rc_room_unpublish_kind(
  _ room: OpaquePointer?, _ kind: rc_kind, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let kind = try trackKind(kind)
    return { room in try await room.unpublish(kind) }
  }
}

@c @implementation
public func rc_room_mute_kind(
  _ room: OpaquePointer?, _ kind: rc_kind, _ muted: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let kind = try trackKind(kind)
    return { room in
      if kind == .audio { try await room.muteAudio(muted) } else { try await room.muteVideo(muted) }
    }
  }
}

private func trackKind(_ kind: rc_kind) throws(Refusal) -> TrackKind {
  switch kind {
  case RC_AUDIO: .audio
  case RC_VIDEO: .video
  default: throw .argument("kind", "is \(kind.rawValue), not 0 or 1")
  }
}

@c @implementation
public func rc_room_mute(
  _ room: OpaquePointer?, _ track: OpaquePointer?, _ muted: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let track = try TrackHandle.named(track).track
    return { room in try await room.mute(track, muted) }
  }
}

@c @implementation
public func rc_room_mute_id(
  _ room: OpaquePointer?, _ trackId: UnsafePointer<CChar>?, _ muted: Bool, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let id = TrackID(try text(trackId, "track_id"))
    return { room in try await room.mute(trackId: id, muted) }
  }
}
