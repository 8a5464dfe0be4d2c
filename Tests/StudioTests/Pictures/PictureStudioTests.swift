import RoomCodecs
import RoomRTP
import RoomStudio
import Testing

@Suite("A picture studio")
struct PictureStudioTests {
  @Test("without settings a picture passes through, with its timestamp")
  func nothing() throws {
    var frame = try VideoFrame.halves(.red, .blue, 64, 36)
    frame.timestamp = MediaTime(microseconds: 1234)
    let output = PictureStudio().output(of: frame)
    #expect(output.stream.psnr(to: frame) == 128 && output.preview.psnr(to: frame) == 128)
    #expect(output.stream.timestamp == frame.timestamp && output.preview.timestamp == frame.timestamp)
  }

  @Test("preview and stream are mirrored apart", arguments: [(false, false), (true, false), (false, true), (true, true)])
  func mirror(stream: Bool, preview: Bool) throws {
    let studio = PictureStudio()
    studio.settings.mirror = .init(stream: stream, preview: preview)
    let output = studio.output(of: try .halves(.red, .blue, 65, 33))
    for (picture, isMirrored) in [(output.stream, stream), (output.preview, preview)] {
      #expect(picture.isColour(isMirrored ? .blue : .red, 8, 16))
      #expect(picture.isColour(isMirrored ? .red : .blue, 56, 16))
    }
  }

  @Test("stickers, texts and the watermark keep their place and can be read in a mirrored picture")
  func overlays() throws {
    let studio = PictureStudio()
    studio.settings.mirror = .init(stream: true, preview: false)
    studio.settings.stickers = [try Overlay(Picture(.of(.red, 20, 20)), x: 0, y: 0)]
    studio.settings.watermark = try Overlay(Picture(.of(.green, 20, 20)), x: 10, y: 10)
    let text = try TextRenderer(size: 24).overlay("LIVE", x: 40, y: 40)
    studio.settings.texts = [try #require(text)]
    let output = studio.output(of: try .of(.grey, 160, 90))
    for picture in [output.stream, output.preview] {
      #expect(picture.isColour(.red, 4, 4) && picture.isColour(.green, 24, 24))
      // The watermark is the topmost.
      #expect(picture.isColour(.green, 15, 15))
      #expect(picture.isColour(.grey, 150, 80))
    }
    // The same letters in both, none of them mirrored.
    #expect(output.stream.psnr(to: output.preview) == 128)
    #expect(output.stream.roughness(40..<100, 40..<70) > 5)
  }

  @Test("a watermark is set and cleared while pictures flow")
  func watermark() throws {
    let studio = PictureStudio()
    let frame = try VideoFrame.of(.grey, 64, 64)
    #expect(studio.process(frame).isColour(.grey, 8, 8))
    studio.settings.watermark = try Overlay(Picture(.of(.green, 16, 16)), x: 0, y: 0, opacity: 0.5)
    let half = studio.process(frame)
    #expect(half.isColour(YUVColour(y: 122, u: 91, v: 81), 8, 8))
    // The app's own picture is not changed.
    #expect(frame.isColour(.grey, 8, 8))
    studio.settings.watermark = nil
    #expect(studio.process(frame).isColour(.grey, 8, 8))
  }

  @Test("a picture of another shape is cropped, fitted between bars, or stretched", arguments: FillMode.allCases)
  func size(mode: FillMode) throws {
    let studio = PictureStudio()
    studio.settings.size = try PictureSize(width: 90, height: 160, mode: mode)
    let picture = studio.process(try .halves(.red, .blue, 320, 180))
    #expect(picture.width == 90 && picture.height == 160)
    #expect(picture.isColour(.red, 10, 80) && picture.isColour(.blue, 80, 80))
    #expect(picture.isColour(mode == .fit ? .black : .red, 10, 4))
    #expect(picture.isColour(mode == .fit ? .black : .blue, 80, 155))
  }

  @Test("an app's effects run in order, can replace the picture, and are removed again")
  func hooks() throws {
    let studio = PictureStudio()
    studio.settings.effects = [
      PictureHook { frame in frame.fill(.red) },
      PictureHook { frame in
        // Sees what the effect before it made.
        guard frame.isColour(.red, 0, 0), let next = try? VideoFrame.of(.blue, 32, 32) else { return }
        frame = next
      },
    ]
    let picture = studio.process(try .of(.grey, 64, 64))
    #expect(picture.isColour(.blue, 16, 16) && picture.width == 32)
    studio.settings.effects = []
    #expect(studio.process(try .of(.grey, 64, 64)).isColour(.grey, 16, 16))
  }

  @Test("full-range values become limited-range ones")
  func range() throws {
    let studio = PictureStudio()
    studio.settings.range = .full
    for (full, limited) in [
      (YUVColour(y: 0, u: 128, v: 128), YUVColour.black), (YUVColour(y: 255, u: 128, v: 128), .white),
      (YUVColour(y: 128, u: 0, v: 255), YUVColour(y: 126, u: 16, v: 240)),
    ] {
      #expect(studio.process(try .of(full, 33, 17)).isColour(limited, 32, 16, within: 1))
    }
  }

  @Test("each reader of the preview gets its pictures, a slow one the newest")
  func previews() async throws {
    let studio = PictureStudio()
    studio.settings.mirror.preview = true
    var (all, newest) = (studio.previews(backlog: 8).makeAsyncIterator(), studio.previews().makeAsyncIterator())
    for number in 0..<5 {
      var frame = try VideoFrame.halves(.red, .blue, 64, 36)
      frame.timestamp = MediaTime(microseconds: Int64(number))
      _ = studio.process(frame)
    }
    for number in 0..<5 { #expect(await all.next()?.timestamp.microseconds == Int64(number)) }
    let last = try #require(await newest.next())
    #expect(last.timestamp.microseconds == 4 && last.isColour(.blue, 8, 16))
  }

  @Test("the preview ends with the studio")
  func end() async throws {
    var studio: PictureStudio? = PictureStudio()
    let previews = try #require(studio?.previews())
    studio = nil
    for await _ in previews { Issue.record("a picture of a studio that is gone") }
  }

  @Test("a snapshot is the last picture with its overlays, as PNG and JPEG files that others read")
  func snapshot() throws {
    let studio = PictureStudio()
    #expect(studio.snapshot() == nil)
    studio.settings.watermark = try Overlay(Picture(.of(.green, 16, 16)), x: 0, y: 0)
    studio.settings.mirror.preview = true
    _ = studio.process(try .halves(.red, .blue, 65, 33))
    let snapshot = try #require(studio.snapshot())
    #expect(try #require(studio.snapshot(ofPreview: true)).isColour(.blue, 20, 24))
    for file in [try snapshot.png(), try snapshot.jpeg(quantiser: 2)] {
      let picture = try Picture(decoding: file)
      #expect(picture.width == 65 && picture.height == 33)
      for (colour, x) in [(YUVColour.green, 6), (.red, 24), (.blue, 56)] {
        #expect(picture.frame.isColour(colour, x, 8, within: 6))
      }
    }
  }

  @Test(
    "everything at once works for any size", arguments: [(1, 1), (2, 1), (15, 17), (17, 15), (16, 16), (63, 65), (641, 359)])
  func sizes(width: Int, height: Int) throws {
    let studio = PictureStudio(try .everything())
    let output = studio.output(of: try .of(.skin, width, height).withNoise(-20...20))
    #expect(output.stream.width == width && output.preview.height == height)
    // Not the colours that it had: each step ran.
    #expect(!output.stream.isColour(.skin, width - 1, height - 1))
    studio.settings.size = try PictureSize(width: height, height: width)
    #expect(studio.process(try .of(.skin, width, height)).width == height)
  }

  @Test("settings are replaced while another thread passes pictures")
  func live() async throws {
    let studio = PictureStudio()
    let everything = try PictureSettings.everything()
    let frame = try VideoFrame.of(.skin, 160, 90)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<200 { studio.settings = number % 2 == 0 ? everything : PictureSettings() }
        studio.settings = PictureSettings()
      }
      group.addTask { for _ in 0..<200 { #expect(studio.process(frame).width == 160) } }
    }
    #expect(studio.process(frame).psnr(to: frame) == 128)
  }

  @Test("the memory of pictures is reused")
  func memory() throws {
    let pool = FramePool(maximumFreeBytes: 64 << 20)
    let studio = PictureStudio(try .everything(), pool: pool)
    func process() throws {
      var frame = try VideoFrame(width: 320, height: 180, pool: pool)
      frame.fill(.skin)
      _ = studio.process(frame)
    }
    for _ in 0..<3 { try process() }
    let free = pool.freeBytes
    for _ in 0..<20 {
      try process()
      #expect(pool.freeBytes == free)
    }
  }
}

extension PictureSettings {
  /// Every effect at once.
  static func everything() throws -> PictureSettings {
    var settings = PictureSettings()
    settings.range = .full
    settings.beauty = Beauty(smooth: 1, whiten: 1, redden: 1)
    settings.filter = LookupFilter(LookupTable { $0 * 0.8 }, strength: 0.7)
    settings.effects = [PictureHook { $0.timestamp = $0.timestamp }]
    settings.mirror = .init(stream: true, preview: false)
    settings.stickers = [try Overlay(Picture(.of(.red, 9, 9)), x: -3, y: 5)]
    settings.watermark = try Overlay(Picture(.of(.green, 8, 8)), x: 3, y: 3, opacity: 0.5)
    return settings
  }
}
