import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia
import RoomStreaming

extension StreamingSetup {
  /// Reads what the app wants to push.
  init(_ pointer: UnsafePointer<rc_streaming_setup>?) throws(Refusal) {
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
    var trust = ServerTrust.system
    if given.trust_any_server {
      trust = .none
    } else if let path = try optionalText(given.certificates, "certificates") {
      trust = .certificates(path: path)
    }
    self.init(
      video: given.video == nil ? nil : try VideoOptions(given.video).configuration, audio: audio, trust: trust,
      networkChange: given.follows_network ? .follow : .ignore)
  }
}

extension StreamingOptions {
  /// Reads the switches of the app; NULL for the defaults.
  init(_ pointer: UnsafePointer<rc_streaming_options>?) throws(Refusal) {
    self.init()
    guard let pointer else { return }
    let given = try structure(pointer, rc_streaming_options(), "options")
    switch try integer(given.reconnect_tries, "reconnect_tries", in: -2...1_000_000) {
    case -2: reconnects = .unlimited
    case ...0: reconnects = .never
    case let tries: reconnects = ReconnectPolicy(tries: tries)
    }
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
      camera: given.camera.map { Rectangle($0.pointee) })
    pictures = try elements(given.pictures, given.picture_count, "pictures").map { placement throws(Refusal) in
      Picture(try RemoteHandle.named(placement.track).track, in: Rectangle(placement), zIndex: Int(placement.z))
    }
    sounds = try elements(given.sounds, given.sound_count, "sounds").map { handle throws(Refusal) in
      try RemoteHandle.named(handle).track
    }
  }
}

extension StreamingMix.Rectangle {
  fileprivate init(_ placement: rc_placement) {
    self.init(x: Int(placement.x), y: Int(placement.y), width: Int(placement.width), height: Int(placement.height))
  }
}
