import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomStreaming

extension StreamingSetup {
  /// Reads what the app wants to push.
  /// - Parameter hooks: runs the callbacks that the session asks.
  init(_ pointer: UnsafePointer<rc_streaming_setup>?, hooks: Delivery) throws(Refusal) {
    guard let pointer else { throw .argument("setup", "is NULL") }
    let given = try structure(pointer, rc_streaming_setup(), "setup")
    var audio: AACEncoderSettings?
    if given.has_audio {
      audio = AACEncoderSettings(
        format: AudioFormat(
          sampleRate: try integer(given.audio_rate, "audio_rate", in: 8000...96_000),
          channels: try integer(given.audio_channels, "audio_channels", in: 1...2)),
        bitrate: try integer(given.audio_bitrate, "audio_bitrate", in: 16_000...512_000))
    }
    self.init(
      video: given.video == nil ? nil : try VideoOptions(given.video).configuration, audio: audio,
      trust: try ServerTrust(any: given.trust_any_server, certificates: given.certificates),
      resolver: try StreamingResolver(given.on_resolve, given.hook_context, on: hooks),
      networkChange: try NetworkChangePolicy(
        follows: given.follows_network, given.on_network, given.hook_context, on: hooks))
  }
}

extension StreamingOptions {
  /// Reads the switches of the app; NULL for the defaults.
  init(_ pointer: UnsafePointer<rc_streaming_options>?) throws(Refusal) {
    self.init()
    guard let pointer else { return }
    let given = try structure(pointer, rc_streaming_options(), "options")
    reconnects = try ReconnectPolicy(tries: given.reconnect_tries)
    let lowest = try integer(given.min_bitrate, "min_bitrate", in: 0...100_000_000)
    minBitrate = lowest == 0 ? nil : lowest
    isFrameRateDynamic = given.dynamic_fps
    statusInterval = .milliseconds(try integer(given.status_ms, "status_ms", in: 100...3_600_000))
  }
}

extension StreamingMix {
  /// Reads the mix of the app.
  init(_ pointer: UnsafePointer<rc_mix>) throws(Refusal) {
    let given = try structure(pointer, rc_mix(), "mix")
    let sides = 2...VideoFrame.maximumSide
    self.init(
      width: try integer(given.width, "width", in: sides), height: try integer(given.height, "height", in: sides),
      camera: try given.camera.map { camera throws(Refusal) in try Rectangle(camera.pointee) })
    let placements = try elements(given.pictures, given.picture_count, "pictures", most: Self.limit)
    pictures = try placements.map { placement throws(Refusal) in
      Picture(try RemoteHandle.named(placement.track).track, in: try Rectangle(placement), zIndex: Int(placement.z))
    }
    sounds = try elements(given.sounds, given.sound_count, "sounds", most: Self.limit).map { handle throws(Refusal) in
      try RemoteHandle.named(handle).track
    }
  }
}

extension StreamingMix.Rectangle {
  /// Reads a place, which may extend beyond the canvas.
  fileprivate init(_ placement: rc_placement) throws(Refusal) {
    let (edges, sides) = (-VideoFrame.maximumSide...VideoFrame.maximumSide, 1...VideoFrame.maximumSide)
    self.init(
      x: try integer(placement.x, "x", in: edges), y: try integer(placement.y, "y", in: edges),
      width: try integer(placement.width, "width", in: sides), height: try integer(placement.height, "height", in: sides))
  }
}
