import RoomCVPX
import RoomRTP

/// The order of the temporal layers in a VP8 stream, and the frames that each one refers to.
///
/// Layer 0 has the last frame buffer for itself, layer 1 the golden one. Layer 2 changes no buffer. A frame of layer 1 refers to
/// layer 0 alone, so a receiver may begin with it, or leave it out, at any time.
struct VP8TemporalPattern {
  struct Step {
    var layer: VP8TemporalLayer
    var flags: vpx_enc_frame_flags_t
  }

  private let steps: [Step]
  private var position = 0

  /// The part of the bitrate up to each layer in percent, as libwebrtc divides it.
  private static let shares: [[UInt32]] = [[100], [60, 100], [40, 60, 100]]

  /// - Parameter layers: 1…3.
  init(layers: Int) {
    func flags(_ all: Int32...) -> vpx_enc_frame_flags_t {
      vpx_enc_frame_flags_t(all.reduce(VP8_EFLAG_NO_UPD_ARF | VP8_EFLAG_NO_REF_ARF, |))
    }
    func step(_ index: UInt8, isSync: Bool, isReference: Bool, _ flags: vpx_enc_frame_flags_t) -> Step {
      Step(layer: VP8TemporalLayer(index: index, isSync: isSync, isReference: isReference), flags: flags)
    }
    let base = step(0, isSync: false, isReference: true, flags(VP8_EFLAG_NO_REF_GF, VP8_EFLAG_NO_UPD_GF))
    // The probabilities of what a receiver may not get must not be those of later frames.
    let upper = flags(VP8_EFLAG_NO_UPD_LAST, VP8_EFLAG_NO_UPD_ENTROPY)
    let aloneFlags = upper | flags(VP8_EFLAG_NO_REF_GF, VP8_EFLAG_NO_UPD_GF)
    switch layers {
    case 2: steps = [base, step(1, isSync: true, isReference: false, aloneFlags)]
    case 3:
      steps = [
        base, step(2, isSync: true, isReference: false, aloneFlags),
        step(1, isSync: true, isReference: true, upper | flags(VP8_EFLAG_NO_REF_GF)),
        step(2, isSync: false, isReference: false, upper | flags(VP8_EFLAG_NO_UPD_GF)),
      ]
    default: steps = []
    }
  }

  /// Returns the layer and the flags of the next frame; nil without temporal layers. A key frame begins the pattern anew.
  mutating func next(isKeyFrame: Bool) -> Step? {
    guard !steps.isEmpty else { return nil }
    if isKeyFrame { position = 0 }
    defer { position = (position + 1) % steps.count }
    var step = steps[position]
    if isKeyFrame { step.layer.isSync = true }
    return step
  }

  /// Sets the division of the bitrate among the layers.
  static func configure(_ configuration: inout vpx_codec_enc_cfg_t, _ settings: VideoEncoderSettings) {
    guard settings.temporalLayers > 1 else { return }
    let layers = settings.temporalLayers
    let shares = shares[layers - 1]
    let order: [UInt32] = layers == 2 ? [0, 1] : [0, 2, 1, 2]
    configuration.ts_number_layers = UInt32(layers)
    configuration.ts_periodicity = UInt32(order.count)
    withUnsafeMutableBytes(of: &configuration.ts_target_bitrate) { bytes in
      let rates = bytes.bindMemory(to: UInt32.self)
      for (index, share) in shares.enumerated() { rates[index] = UInt32(settings.bitrate / 1000) * share / 100 }
    }
    withUnsafeMutableBytes(of: &configuration.ts_rate_decimator) { bytes in
      let decimators = bytes.bindMemory(to: UInt32.self)
      for index in 0..<layers { decimators[index] = 1 << UInt32(layers - 1 - index) }
    }
    withUnsafeMutableBytes(of: &configuration.ts_layer_id) { bytes in
      let ids = bytes.bindMemory(to: UInt32.self)
      for (index, id) in order.enumerated() { ids[index] = id }
    }
  }
}
