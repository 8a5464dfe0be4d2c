import RoomCClient
import RoomClient
import RoomMedia

@c @implementation
public func rc_remote_info(
  _ remote: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt { try give(try encoded(RemoteReport(try RemoteHandle.named(remote).track)), to: json, "json") }
}

@c @implementation
public func rc_remote_request_key_frame(_ remote: OpaquePointer?) -> rc_status {
  attempt { try RemoteHandle.named(remote).track.requestKeyFrame() }
}

@c @implementation
public func rc_remote_set_reception(
  _ room: OpaquePointer?, _ remote: OpaquePointer?, _ maxWidth: Int32, _ maxHeight: Int32, _ maxFps: Int32,
  _ priority: Int32, _ paused: Bool, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let track = try RemoteHandle.named(remote).track
    func limit(_ value: Int32) -> Int? { value == 0 ? nil : Int(value) }
    let (width, height, fps) = (limit(maxWidth), limit(maxHeight), limit(maxFps))
    return { _ in
      try await track.setReception(
        maxWidth: width, maxHeight: height, maxFps: fps, priority: priority < 0 ? nil : Int(priority), isPaused: paused)
    }
  }
}

@c @implementation
public func rc_remote_read_encoded(
  _ remote: OpaquePointer?, _ queue: OpaquePointer?, _ onFrame: rc_on_encoded?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (track, queue) = (try RemoteHandle.named(remote).track, try EventQueue.named(queue))
    let callback = try Callback(onFrame, context)
    // What the track drops is in the statistics of the room.
    try ReaderHandle(on: queue).give(to: reader, track.frames) { reader, frame in
      guard let frame else { return callback.function(callback.context, reader, nil) }
      frame.withFrame { callback.function(callback.context, reader, $0) }
    }
  }
}

@c @implementation
public func rc_remote_read_video(
  _ remote: OpaquePointer?, _ queue: OpaquePointer?, _ onPicture: rc_on_picture?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (track, queue) = (try RemoteHandle.named(remote).track, try EventQueue.named(queue))
    let callback = try Callback(onPicture, context)
    let playback = try VideoPlayback(track)
    let handle = ReaderHandle(on: queue) { playback.statistics.unread }
    try handle.give(to: reader, playback.frames) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_remote_read_audio(
  _ remote: OpaquePointer?, _ channels: Int32, _ queue: OpaquePointer?, _ onPCM: rc_on_pcm?,
  _ context: UnsafeMutableRawPointer?, _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (track, queue) = (try RemoteHandle.named(remote).track, try EventQueue.named(queue))
    let callback = try Callback(onPCM, context)
    let playback = try AudioPlayback(track, channels: try integer(channels, "channels", in: 1...2))
    let handle = ReaderHandle(on: queue) { playback.statistics.unread }
    try handle.give(to: reader, playback.frames) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_reader_dropped(_ reader: OpaquePointer?) -> UInt64 {
  var count: UInt64 = 0
  _ = attempt { count = try HandleTable.shared.find(reader, ReaderHandle.self, "reader").droppedFrames }
  return count
}
