import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomStreaming

@c @implementation
public func rc_streaming_create(
  _ queue: OpaquePointer?, _ setup: UnsafePointer<rc_streaming_setup>?, _ options: UnsafePointer<rc_streaming_options>?,
  _ onEvent: rc_on_streaming?, _ context: UnsafeMutableRawPointer?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let queue = try EventQueue.named(queue)
    let hooks = Delivery(queue)
    let new = try StreamingSession(try StreamingSetup(setup, hooks: hooks), options: try StreamingOptions(options))
    let callback = onEvent == nil ? nil : try Callback(onEvent, context)
    // Before the start: its callback may run at once, on another thread.
    let (handle, number) = try give(session, "session") { StreamingHandle(new, on: queue, hooks: hooks) }
    handle.start { event in
      guard let callback, let session = OpaquePointer(bitPattern: number) else { return }
      event.withEvent { callback.function(callback.context, session, $0) }
    }
  }
}

@c @implementation
public func rc_addresses_add(_ addresses: OpaquePointer?, _ address: UnsafePointer<CChar>?) -> rc_status {
  attempt {
    let answer = try HandleTable.shared.find(addresses, AddressesAnswer.self, "addresses")
    answer.add(try text(address, "address"))
  }
}

@c @implementation
public func rc_streaming_start(
  _ session: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ token: UnsafePointer<CChar>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(on: session, done, context) {
    let (url, token) = (try text(url, "url"), try optionalText(token, "token"))
    return { session in try await session.start(url, token: token) }
  }
}

@c @implementation
public func rc_streaming_stop(
  _ session: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(on: session, done, context) { { session in await session.stop() } }
}

@c @implementation
public func rc_streaming_restart(
  _ session: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(on: session, done, context) {
    let url = try optionalText(url, "url")
    return { session in try await session.restart(url) }
  }
}

@c @implementation
public func rc_streaming_set_options(
  _ session: OpaquePointer?, _ options: UnsafePointer<rc_streaming_options>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(on: session, done, context) {
    let options = try StreamingOptions(options)
    return { session in await session.set(options) }
  }
}

@c @implementation
public func rc_streaming_reconfigure(
  _ session: OpaquePointer?, _ video: UnsafePointer<rc_video_options>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(on: session, done, context) {
    let video = try VideoOptions(video).configuration
    return { session in try await session.reconfigure(video) }
  }
}

@c @implementation
public func rc_streaming_get_state(_ session: OpaquePointer?) -> rc_streaming_state {
  var state = RC_STREAMING_UNKNOWN
  _ = attempt { state = try StreamingHandle.named(session).current.forApp }
  return state
}

@c @implementation
public func rc_streaming_push_i420(_ session: OpaquePointer?, _ picture: UnsafePointer<rc_i420>?) -> rc_status {
  attempt { try StreamingHandle.named(session).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_streaming_push_nv12(_ session: OpaquePointer?, _ picture: UnsafePointer<rc_nv12>?) -> rc_status {
  attempt { try StreamingHandle.named(session).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_streaming_push_rgb(_ session: OpaquePointer?, _ picture: UnsafePointer<rc_rgb>?) -> rc_status {
  attempt { try StreamingHandle.named(session).push(try VideoFrame(picture)) }
}

@c @implementation
public func rc_streaming_push_pcm(_ session: OpaquePointer?, _ pcm: UnsafePointer<rc_pcm>?) -> rc_status {
  attempt { try StreamingHandle.named(session).session.push(try AudioFrame(pcm)) }
}

@c @implementation
public func rc_streaming_set_studio(_ session: OpaquePointer?, _ studio: OpaquePointer?) -> rc_status {
  attempt { try StreamingHandle.named(session).set(try studio.map { try StudioHandle.named($0).studio }) }
}

@c @implementation
public func rc_streaming_set_sound(_ session: OpaquePointer?, _ sound: OpaquePointer?) -> rc_status {
  attempt { try StreamingHandle.named(session).set(try sound.map { try SoundHandle.named($0) }) }
}

@c @implementation
public func rc_streaming_share(
  _ session: OpaquePointer?, _ camera: OpaquePointer?, _ microphone: OpaquePointer?
) -> rc_status {
  attempt {
    let handle = try StreamingHandle.named(session)
    let video = try camera.map { camera throws(Refusal) in try TrackHandle.named(camera).videoSource("camera") }
    let audio = try microphone.map { microphone throws(Refusal) in
      try TrackHandle.named(microphone).audioSource("microphone")
    }
    handle.session.share(camera: video, microphone: audio)
  }
}

@c @implementation
public func rc_streaming_set_mix(_ session: OpaquePointer?, _ mix: UnsafePointer<rc_mix>?) -> rc_status {
  attempt { try StreamingHandle.named(session).session.setMix(try mix.map { try StreamingMix($0) }) }
}

/// A call of a session without a result.
private func perform(
  on session: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?,
  _ prepare: () throws -> @Sendable (StreamingSession) async throws -> Void
) -> rc_status {
  attempt {
    let handle = try StreamingHandle.named(session)
    let body = try prepare()
    try answer(done, context, on: handle.queue) { [session = handle.session] in
      try await body(session)
      return nil
    }
  }
}
