import RoomCodecs
import RoomRTP
import Testing

@testable import RoomLiveOrigin

@Suite struct HLSMultivariantTests {
  private func text(_ packager: HLSPackager, variants: Int = 2, of source: String = "studio", query: String = "") -> String {
    HLSMultivariant(source, packager.rendition, variants: variants, query: query).text
  }

  @Test("the exact playlist of a real stream, with its measured rates")
  func golden() throws {
    let stream = try EncodedStream(.init(width: 640, height: 360, fps: 15))
    let packager = HLSPackager()
    packager.take(try stream.messages(until: 9000), unixTime: 0)
    let rendition = packager.rendition
    #expect((14.8...15.2).contains(rendition.frameRate) && (50_000...90_000).contains(rendition.sound), "\(rendition)")
    #expect((200_000...700_000).contains(rendition.average) && rendition.peak >= rendition.average, "\(rendition)")
    let lines = text(packager, query: "wsTime=5f").split(separator: "\n")
    let attributes = "BANDWIDTH=\(rendition.peak),AVERAGE-BANDWIDTH=\(rendition.average)"
    #expect(lines.prefix(3) == ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS"])
    #expect(lines[3].hasPrefix("#EXT-X-STREAM-INF:\(attributes),CODECS=\"avc1."))
    #expect(lines[3].contains(",mp4a.40.2\",RESOLUTION=640x360,FRAME-RATE=1"))
    #expect(lines[4] == "../studio.m3u8?wsTime=5f")
    // 320x180 at 15 fps has the minimum bit rate.
    let average = 100_000 + rendition.sound
    #expect(lines[5].contains("AVERAGE-BANDWIDTH=\(average),CODECS=\"avc1.4d401f,mp4a.40.2\",RESOLUTION=320x180"))
    #expect(lines.dropFirst(6) == ["../studio_320_180_15.m3u8?wsTime=5f"])
    #expect(!text(packager, variants: 0).contains("studio_"))
    #expect(!text(packager, of: "studio_640_360_15").contains("320_180"), "a variant has no variants")
  }

  @Test("audio alone is listed without a size")
  func soundAlone() {
    let packager = HLSPackager()
    let sound = GeneratedStream.span(0..<9000, video: false)
    packager.take([GeneratedStream.header(.audio, GeneratedStream.soundHeader, at: 0)] + sound, unixTime: 0)
    let text = text(packager)
    #expect(text.contains(",CODECS=\"mp4a.40.2\"\n../studio.m3u8\n") && !text.contains("RESOLUTION"))
  }

  @Test(
    "variants are distinctly smaller, of the same proportions or at least orientation, at an allowed rate",
    arguments: [
      (1920, 1080, 30.0, ["1280_720_30", "848_480_30"]), (1280, 720, 25.0, ["848_480_24", "640_360_24"]),
      (720, 1280, 15.1, ["480_848_15", "360_640_15"]), (640, 360, 60, ["320_180_30"]),
      (640, 480, 30, ["480_360_30", "320_240_30"]),
      (368, 640, 30, ["180_320_30"]), (600, 600, 12, ["360_360_10", "240_240_10"]), (1280, 800, 30, ["720_480_30"]),
      (160, 120, 30, []), (0, 0, 0, []), (320, 180, 5, []), (3840, 2160, 29.97, ["1920_1080_30", "1280_720_30"]),
    ])
  func ladder(width: Int, height: Int, rate: Double, names: [String]) {
    let variants = VariantLadder.variants(
      of: "a_b", width: width, height: height, frameRate: rate, bitrate: 10_000_000, count: 2)
    #expect(variants.map(\.name) == names.map { "a_b_\($0)" })
  }

  @Test("variants that do not save bits are not listed")
  func bits() {
    func names(_ bitrate: Int) -> [String] {
      VariantLadder.variants(of: "a", width: 1280, height: 720, frameRate: 30, bitrate: bitrate, count: 2).map(\.name)
    }
    #expect(names(2_000_000) == ["a_848_480_30", "a_640_360_30"] && names(1_000_000) == ["a_640_360_30", "a_320_180_30"])
    #expect(names(90_000).isEmpty)
    let slides = HLSRendition(width: 1280, height: 720, frameRate: 30, peak: 200_000, average: 150_000)
    #expect(!HLSMultivariant("a", slides, variants: 2).text.contains("a_"))
  }

  @Test("the codec names a profile and a level that the variant's encoder does not exceed")
  func variantCodec() throws {
    for name in ["a_1920_1080_30", "a_1280_720_30", "a_720_1280_24", "a_848_480_30", "a_360_640_15", "a_176_144_10"] {
      let variant = try #require(StreamVariant(name))
      let transcoder = try VariantTranscoder(variant)
      let source = try EncodedStream(.init(hasAudio: false))
      var header: FragmentedMP4.Track?
      let messages = try source.messages(until: 500).flatMap { transcoder.take($0) }
      for message in messages where header == nil {
        let live = LiveMedia(message, time: .zero, isKeyFrame: false)
        let packager = HLSPackager()
        packager.take([live], unixTime: 0)
        header = packager.announced.video
      }
      let (declared, actual) = (VariantTranscoder.codecName(variant), try #require(header?.codecName))
      #expect(declared.dropLast(2) == actual.dropLast(2), "\(name): \(actual)")
      #expect(Int(declared.suffix(2), radix: 16) ?? 0 >= Int(actual.suffix(2), radix: 16) ?? 99, "\(name): \(actual)")
    }
  }

  @Test("codecs are named with profile and level")
  func codecs() {
    func name(_ codec: FragmentedMP4.Codec, _ bytes: [UInt8]) -> String? {
      FragmentedMP4.Track.video(codec, configuration: bytes, width: 1, height: 1).codecName
    }
    #expect(name(.h264, [1, 0x42, 0xc0, 0x1e]) == "avc1.42c01e")
    #expect(name(.hevc, [1, 0x01, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93]) == "hvc1.1.6.L93.90")
    #expect(name(.hevc, [1, 0x22, 0x20, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 123]) == "hvc1.2.4.H123.b0")
    #expect(name(.av1, [0x81, 0x08, 0x0c]) == "av01.0.08M.08" && name(.av1, [0x81, 0x2d, 0xcc]) == "av01.1.13H.10")
    #expect(name(.aac, [0x12, 0x10]) == "mp4a.40.2" && name(.aac, [0xf9, 0x40]) == "mp4a.40.42" && name(.opus, []) == "Opus")
    for codec in [FragmentedMP4.Codec.h264, .hevc, .av1, .aac] { #expect(name(codec, [1]) == nil) }
  }
}
