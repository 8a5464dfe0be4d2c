import RoomCodecs
import RoomMixing
import RoomRelay
import RoomProtocol

// Builds the picture and the scene of a mix from the parameters of its job.

extension MergeParams {
  /// Returns the picture to encode; nil for audio only.
  /// - Parameter isPublished: whether browsers decode it: all of them support the constrained baseline profile.
  func picture(isPublished: Bool) -> MixPicture? {
    guard let width, let height else { return nil }
    let fps = fps ?? 24
    return MixPicture(
      width: width, height: height, fps: fps,
      bitrate: videoKbps.map { $0 * 1000 } ?? MixPicture.defaultBitrate(width: width, height: height, fps: fps),
      leastBitrate: minKbps.map { $0 * 1000 }, keyFrameInterval: gop,
      speed: preset.flatMap { H264Encoder.Speed(rawValue: $0.rawValue) } ?? .superfast, profile: isPublished ? .baseline : .main
    )
  }
}

extension MixPlan {
  /// Returns the scene, independent of the tracks that are currently published.
  /// - Throws: 80204 for a missing image or font.
  func scene(_ images: RoomImages, font: String?) throws(RoomError) -> MixScene {
    var scene = MixScene()
    for item in layouts { item.place(in: &scene, font: font) }
    if let name = background?.image {
      scene.background = .picture(try images.image(name, "background.image").picture)
    } else if let colour = background?.colour.flatMap(RGBColour.init) {
      scene.background = .colour(YUVColour(colour))
    }
    for (index, mark) in watermarks.enumerated() {
      let picture = try images.image(mark.image, "watermarks[\(index)].image").picture
      do throws(CodecError) {
        scene.overlays.append(
          try Overlay(picture, x: mark.x, y: mark.y, width: mark.width, height: mark.height, opacity: mark.opacity ?? 1))
      } catch {
        throw RoomError(.cdnParameters, "watermarks[\(index)]: \(error)")
      }
    }
    for (index, text) in texts.enumerated() {
      let (size, colour) = (text.size ?? 32, text.colour.flatMap(RGBColour.init).map(YUVColour.init) ?? .white)
      do throws(CodecError) {
        let renderer = try TextRenderer(font: font, size: size)
        if text.clock == true {
          scene.clocks.append(.init(x: text.x, y: text.y, size: size, colour: colour, font: font, until: text.until))
        } else if let overlay = renderer.overlay(text.text ?? "", style: TextStyle(colour: colour), x: text.x, y: text.y) {
          scene.overlays.append(overlay)
        }
      } catch {
        throw RoomError(.cdnParameters, "texts[\(index)]: \(error)")
      }
    }
    return scene
  }
}

extension MixPlan.Item {
  fileprivate func place(in scene: inout MixScene, font: String?) {
    if let audio, let gain = layout.gain { scene.gains[Self.input(.audio, audio)] = Float(gain) }
    guard let video, let x = layout.x, let y = layout.y, let width = layout.width, let height = layout.height else { return }
    let source = Self.input(.video, video)
    scene.placements.append(
      Placement(
        source: source, frame: PixelFrame(x: x, y: y, width: width, height: height), zIndex: layout.zIndex ?? 0,
        mode: layout.fillMode.flatMap { FillMode(rawValue: $0.rawValue) } ?? .fill, cornerRadius: layout.cornerRadius ?? 0))
    guard let name = layout.placeholder else { return }
    // As large as the frame, up to the maximum size of a canvas.
    scene.placeholders[source] = try? Placeholder.picture(
      width: min(max(2, width), 1920), height: min(max(2, height), 1920), name: name, font: font)
  }
}

extension YUVColour {
  fileprivate init(_ colour: RGBColour) { self.init(red: colour.red, green: colour.green, blue: colour.blue) }
}
