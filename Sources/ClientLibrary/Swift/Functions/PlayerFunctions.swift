import RoomCClient
import RoomMedia

@c @implementation
public func rc_player_create(
  _ queue: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ options: UnsafePointer<rc_player_options>?,
  _ onState: rc_on_player?, _ context: UnsafeMutableRawPointer?, _ player: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let queue = try EventQueue.named(queue)
    let (url, options) = (try text(url, "url"), try StreamPlayer.Options(options))
    let callback = onState == nil ? nil : try Callback(onState, context)
    // Before the start: its callback may run at once, on another thread.
    let (handle, number) = try give(player, "player") { PlayerHandle(StreamPlayer(url, options: options), on: queue) }
    guard let callback else { return }
    handle.start { state in
      guard let player = OpaquePointer(bitPattern: number) else { return }
      var failure: Refusal?
      if case .failed(let reason) = state { failure = Refusal(reason) }
      (failure?.message ?? "").withCString { message in
        callback.function(callback.context, player, state.forApp, failure?.status ?? Int32(RC_OK), message)
      }
    }
  }
}

@c @implementation
public func rc_player_read_video(
  _ player: OpaquePointer?, _ onPicture: rc_on_picture?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (handle, callback) = (try PlayerHandle.named(player), try Callback(onPicture, context))
    guard reader != nil else { throw Refusal.argument("reader", "is NULL") }
    try handle.take(.pictures)
    try ReaderHandle(on: handle.queue).give(to: reader, handle.player.pictures) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_player_read_audio(
  _ player: OpaquePointer?, _ onPCM: rc_on_pcm?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (handle, callback) = (try PlayerHandle.named(player), try Callback(onPCM, context))
    guard reader != nil else { throw Refusal.argument("reader", "is NULL") }
    try handle.take(.sound)
    try ReaderHandle(on: handle.queue).give(to: reader, handle.player.sound) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_player_statistics(
  _ player: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> rc_status {
  attempt { try give(try encoded(PlayerReport(try PlayerHandle.named(player).player.statistics)), to: json, "json") }
}

@c @implementation
public func rc_player_stop(_ player: OpaquePointer?) -> rc_status {
  attempt { try PlayerHandle.named(player).player.stop() }
}
