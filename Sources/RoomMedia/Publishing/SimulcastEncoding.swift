import RoomClient
import RoomCodecs
import RoomRTP

/// The encoding task of a simulcast source: an encoder for each layer. Each layer is scaled from the next larger one.
actor SimulcastEncoding {
  private struct Layer {
    let settings: VideoEncoderSettings
    let encoder: any VideoEncoder
    var thinning = FrameThinning()
    var isOn = false
    var lastKeyFrame: ContinuousClock.Instant?
  }

  /// The smallest first.
  private var layers: [Layer]
  private var plan: LayerPlan
  private let fps: Int
  private var isBounded = false
  private let minBitrate: Int?
  private let began = ContinuousClock.now

  /// - Parameter settings: those of each layer, the smallest first.
  init(_ configuration: VideoConfiguration, _ settings: [VideoEncoderSettings], minBitrate: Int?) throws(CodecError) {
    layers = []
    for settings in settings {
      var layer = configuration
      layer.settings = settings
      layers.append(Layer(settings: settings, encoder: try layer.makeEncoder()))
    }
    plan = LayerPlan(settings, minBitrate: minBitrate)
    self.minBitrate = minBitrate
    fps = settings.map(\.fps).max() ?? 1
  }

  func run(_ frames: AsyncStream<VideoFrame>, _ control: SimulcastControl, _ track: LocalVideoTrack) async {
    for await pushed in frames {
      let frame = control.processed(pushed)
      guard !track.isMuted else { continue }
      let bitrates = follow(control)
      var picture = frame
      for index in layers.indices.reversed() {
        let (isOn, wasOn) = (bitrates[index] > 0, layers[index].isOn)
        layers[index].isOn = isOn
        guard isOn else { continue }
        if !wasOn {
          // Whatever the last key frame was: no receiver has what followed it.
          layers[index].lastKeyFrame = nil
          control.requestKeyFrame(control.rids[index])
        }
        guard takes(frame, index) else { continue }
        do throws(CodecError) {
          picture = try picture.scaled(width: layers[index].settings.width, height: layers[index].settings.height)
          if let result = try encode(picture, index, bitrates[index], control) { send(result, index, control, track) }
        } catch {
          control.state.withLock { $0.statistics[index].failed += 1 }
        }
      }
    }
  }

  /// Sends a picture of a layer. Larger layers are sent before smaller ones of the same picture: a server that switches a receiver
  /// to a smaller layer then has the whole last frame of the larger one.
  private func send(_ picture: EncodedPicture, _ index: Int, _ control: SimulcastControl, _ track: LocalVideoTrack) {
    let isSent = track.send(
      EncodedFrame(
        data: picture.data, timestamp: picture.timestamp.rtpTimestamp(rate: 90_000), isKeyFrame: picture.isKeyFrame,
        temporalLayer: picture.temporalLayer),
      layer: control.rids[index])
    control.state.withLock { state in
      state.statistics[index].sent += isSent ? 1 : 0
      state.statistics[index].sentBytes += isSent ? UInt64(picture.data.count) : 0
    }
  }

  /// Returns the bitrate of each layer; 0 if it is off.
  private func follow(_ control: SimulcastControl) -> [Int] {
    let (available, wanted) = control.state.withLock { ($0.available, $0.wanted) }
    if let available {
      if !isBounded { plan = LayerPlan(layers.map(\.settings), minBitrate: minBitrate, available: available) }
      isBounded = true
      plan.update(available: available, now: Instant(ContinuousClock.now, since: began))
    }
    let bitrates = plan.bitrates(available: available, wanted: control.rids.map(wanted.contains))
    control.setActive(zip(control.rids, bitrates).filter { $1 > 0 }.map(\.0))
    control.state.withLock { state in
      for index in bitrates.indices { state.statistics[index].bitrate = bitrates[index] }
    }
    return bitrates
  }

  private func takes(_ frame: VideoFrame, _ index: Int) -> Bool {
    let layerFPS = layers[index].settings.fps
    return layerFPS >= fps || layers[index].thinning.takes(frame.timestamp, fps: layerFPS)
  }

  private func encode(
    _ picture: VideoFrame, _ index: Int, _ bitrate: Int, _ control: SimulcastControl
  ) throws(CodecError) -> EncodedPicture? {
    let encoder = layers[index].encoder
    // Small changes are ignored, because each step restarts the encoder's rate control.
    let isSmall = abs(bitrate - encoder.settings.bitrate) * 20 < encoder.settings.bitrate
    if bitrate != encoder.settings.bitrate, !isSmall || bitrate == layers[index].settings.bitrate {
      var settings = layers[index].settings
      settings.bitrate = bitrate
      try encoder.reconfigure(settings)
    }
    let isTooSoon = layers[index].lastKeyFrame.map { ContinuousClock.now - $0 < VideoSource.keyFrameSpacing } ?? false
    let rid = control.rids[index]
    let wantsKeyFrame = !isTooSoon && control.state.withLock { $0.keyFrames.remove(rid) != nil }
    guard let result = try encoder.encode(picture, forceKeyFrame: wantsKeyFrame) else { return nil }
    if result.isKeyFrame { layers[index].lastKeyFrame = .now }
    control.state.withLock { state in
      state.statistics[index].encoded += 1
      state.statistics[index].keyFrames += result.isKeyFrame ? 1 : 0
      if result.isKeyFrame { state.keyFrames.remove(rid) }
    }
    return result
  }
}
