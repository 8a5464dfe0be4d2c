import Codecs
import Mixing
import Relay
import RoomProtocol

// What the parameters of a merge job mean for the mix.

extension MergeParams {
  /// What is encoded; nil for sound alone.
  /// - Parameter isPublished: browsers are to read it, which know the constrained baseline profile for sure.
  func picture(isPublished: Bool) -> MixPicture? {
    guard let width, let height else { return nil }
    let fps = fps ?? 24
    // What looks well at 24 frames a second: 1.5 Mbit/s for 720x1280.
    let usual = max(100_000, width * height * fps * 7 / 100)
    return MixPicture(
      width: width, height: height, fps: fps, bitrate: videoKbps.map { $0 * 1000 } ?? usual,
      leastBitrate: minKbps.map { $0 * 1000 }, keyFrameInterval: gop,
      speed: preset.flatMap(H264Encoder.Speed.init(rawValue:)) ?? .superfast, profile: isPublished ? .baseline : .main)
  }
}

extension RoomMix.Key {
  /// What the mix shows, as far as it has nothing to do with which tracks are there.
  func scene(_ images: RoomImages) -> MixScene {
    var placements: [Placement<String>] = []
    var gains: [String: Float] = [:]
    for item in layouts {
      let layout = item.layout
      if let audio = item.audio, let gain = layout.gain { gains[RoomMix.Item.input(.audio, audio)] = Float(gain) }
      guard let video = item.video, let x = layout.x, let y = layout.y, let width = layout.width, let height = layout.height
      else { continue }
      placements.append(
        Placement(
          source: RoomMix.Item.input(.video, video), frame: PixelFrame(x: x, y: y, width: width, height: height),
          zIndex: layout.zIndex ?? 0, mode: layout.fillMode.flatMap(FillMode.init(rawValue:)) ?? .fill,
          cornerRadius: layout.cornerRadius ?? 0))
    }
    return MixScene(placements: placements, background: images.background(background), gains: gains)
  }
}

extension YUVColour {
  /// BT.601, limited range.
  init(_ colour: RGBColour) { self.init(red: colour.red, green: colour.green, blue: colour.blue) }
}
