/// The recording that every server forwards.
enum NetworkMedia {
  /// The layers of the simulcast: size in pixels, and bitrate in kbit/s.
  static let sizes: [(width: Int, height: Int, kbps: Int)] = [(160, 90, 120), (320, 180, 400), (640, 360, 1200)]
  static let fps = 20

  /// Encodes the layers, the smallest first.
  static func layers(seed: UInt64, temporalLayers: Int) throws -> [RecordedMedia] {
    try sizes.map { size in
      try RecordedMedia(
        bitrate: size.kbps * 1000, width: size.width, height: size.height, fps: fps, seed: seed, noise: 7,
        temporalLayers: temporalLayers, hasNoisyKeyFrame: false)
    }
  }
}
