import RoomMediaTimeLiterals
import RoomRTP
import Testing

@testable import RoomCodecs

@Suite("temporal layers of VP8")
struct TemporalLayerTests {
  private func encode(_ layers: Int, count: Int = 120) throws -> [EncodedPicture] {
    var settings = VideoEncoderSettings(width: 320, height: 180, fps: 20, bitrate: 200_000, keyFrameInterval: 0)
    settings.temporalLayers = layers
    let encoder = try VP8Encoder(settings)
    let pattern = try TestPattern(width: 320, height: 180)
    return try (0..<count).compactMap { number in
      let frame = try pattern.frame(
        number: number, milliseconds: Int64(number) * 50, timestamp: MediaTime(microseconds: Int64(number) * 50_000))
      return try encoder.encode(frame, forceKeyFrame: number == 62)
    }
  }

  private func decode(_ pictures: [EncodedPicture]) throws -> [MediaTime: VideoFrame] {
    let decoder = try VP8Decoder()
    var frames: [MediaTime: VideoFrame] = [:]
    for picture in pictures { frames[picture.timestamp] = try decoder.decode(picture.data, timestamp: picture.timestamp) }
    return frames
  }

  @Test("a decoder without the upper layers shows the same pictures, only fewer", arguments: [2, 3])
  func fewer(layers: Int) throws {
    let pictures = try encode(layers)
    #expect(pictures.count == 120)
    let all = try decode(pictures)
    for limit in 0..<UInt8(layers) {
      let kept = pictures.filter { $0.temporalLayer.map { $0.index <= limit } ?? false }
      #expect(abs(kept.count - (120 >> (layers - 1 - Int(limit)))) <= 2)
      let shown = try decode(kept)
      #expect(shown.count == kept.count)
      for (time, frame) in shown {
        let whole = try #require(all[time])
        #expect(frame.psnr(to: whole).map { $0 > 90 } ?? true, "the picture at \(time)")
      }
    }
    #expect(pictures.filter(\.isKeyFrame).map(\.timestamp.microseconds) == [0, 3_100_000])
  }

  @Test("a decoder may begin with an upper layer at a sync frame")
  func sync() throws {
    let pictures = try encode(3)
    let all = try decode(pictures)
    let rise = try #require(
      pictures.indices.first { $0 > 20 && pictures[$0].temporalLayer?.index == 1 && pictures[$0].temporalLayer?.isSync == true }
    )
    let shown = try decode(
      pictures.indices.filter { pictures[$0].temporalLayer?.index == 0 || $0 >= rise }.map { pictures[$0] })
    for (time, frame) in shown { #expect(try frame.psnr(to: #require(all[time])).map { $0 > 90 } ?? true) }
    for picture in pictures where picture.temporalLayer?.index == 2 { #expect(picture.temporalLayer?.isReference == false) }
  }

  @Test("the layers divide the bitrate")
  func bitrates() throws {
    let pictures = try encode(3, count: 200).dropFirst(70)
    let total = pictures.reduce(0) { $0 + $1.data.count }
    func share(_ limit: UInt8) -> Double {
      Double(pictures.reduce(0) { $0 + ($1.temporalLayer.map { $0.index <= limit } ?? false ? $1.data.count : 0) })
        / Double(max(1, total))
    }
    #expect((0.3...0.55).contains(share(0)), "\(share(0))")
    #expect((0.5...0.75).contains(share(1)), "\(share(1))")
  }

  @Test("without layers pictures have none, and their number may change")
  func changes() throws {
    #expect(try encode(1).allSatisfy { $0.temporalLayer == nil })
    var settings = VideoEncoderSettings(width: 320, height: 180, fps: 20, bitrate: 200_000)
    let encoder = try VP8Encoder(settings)
    let pattern = try TestPattern(width: 320, height: 180)
    func next(_ number: Int) throws -> EncodedPicture? {
      try encoder.encode(
        pattern.frame(number: number, milliseconds: 0, timestamp: MediaTime(microseconds: Int64(number) * 50_000)))
    }
    #expect(try next(0)?.isKeyFrame == true && next(1)?.temporalLayer == nil)
    settings.temporalLayers = 2
    try encoder.reconfigure(settings)
    let first = try #require(try next(2))
    #expect(first.isKeyFrame && first.temporalLayer == VP8TemporalLayer(index: 0, isSync: true, isReference: true))
    #expect(try next(3)?.temporalLayer?.index == 1)
    settings.temporalLayers = 4
    #expect(throws: CodecError.self) { try encoder.reconfigure(settings) }
  }
}
