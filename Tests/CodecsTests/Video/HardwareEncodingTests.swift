import Foundation
import RoomMediaTimeLiterals
import RoomRTP
import Testing

@testable import RoomCodecs

@Suite("Encoding by a device")
struct HardwareEncodingTests {
  private static let settings = VideoEncoderSettings(width: 160, height: 96, fps: 15, bitrate: 200_000, keyFrameInterval: 0)

  /// An encoder of a device that rejects pictures from one on.
  private final class FailingEncoder: VideoEncoder {
    private(set) var settings: VideoEncoderSettings
    private let inner: H264Encoder
    private var left: Int

    init(_ settings: VideoEncoderSettings, pictures: Int) throws(CodecError) {
      self.settings = settings
      inner = try H264Encoder(settings)
      left = pictures
    }

    var kind: EncoderKind { .hardware(device: "/dev/dri/test") }

    func encode(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> EncodedPicture? {
      guard left > 0 else { throw .encodingFailed(codec: "test", reason: "the device is gone") }
      left -= 1
      return try inner.encode(frame, forceKeyFrame: forceKeyFrame)
    }

    func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
      guard left > 0 else { throw .unavailable(codec: "test", reason: "the device is gone") }
      try inner.reconfigure(settings)
      self.settings = settings
    }
  }

  private func encoder(pictures: Int) throws -> FallbackEncoder {
    try FallbackEncoder(Self.settings) { settings throws(CodecError) in
      try FailingEncoder(settings, pictures: pictures)
    } software: { settings throws(CodecError) in
      try H264Encoder(settings)
    }
  }

  private func picture(_ number: Int) throws -> VideoFrame {
    try TestPattern(width: 160, height: 96)
      .frame(number: number, milliseconds: 0, timestamp: MediaTime(microseconds: Int64(number) * 66_667))
  }

  @Test("a device that fails within a stream is replaced at a key frame, without a lost picture")
  func failsLater() throws {
    let encoder = try encoder(pictures: 5)
    #expect(encoder.kind == .hardware(device: "/dev/dri/test"))
    let decoder = try H264Decoder()
    var keys: [Int] = []
    for number in 0..<10 {
      let encoded = try #require(try encoder.encode(picture(number), forceKeyFrame: false))
      if encoded.isKeyFrame { keys.append(number) }
      #expect(try decoder.decode(encoded.data, timestamp: encoded.timestamp)?.timestamp == encoded.timestamp)
    }
    #expect(keys == [0, 5])
    #expect(encoder.kind == .fallback(reason: "test could not encode: the device is gone"))
  }

  @Test("a device that rejects new settings is replaced; invalid settings are an error and change nothing")
  func failsOnSettings() throws {
    let encoder = try encoder(pictures: 1)
    var settings = Self.settings
    settings.bitrate = 0
    #expect(throws: CodecError.self) { try encoder.reconfigure(settings) }
    #expect(encoder.kind == .hardware(device: "/dev/dri/test"))
    _ = try encoder.encode(picture(0))
    settings.bitrate = 300_000
    try encoder.reconfigure(settings)
    #expect(encoder.settings == settings)
    #expect(encoder.kind != .hardware(device: "/dev/dri/test"))
    #expect(try encoder.encode(picture(1))?.isKeyFrame == true)
  }

  @Test("without a device the probe finds none, and says why")
  func noDevice() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dri-\(UUID().uuidString)")
    let empty = VAAPIProbe(folder: folder.path)
    #expect(empty.devices.isEmpty && empty.first == nil)
    #expect(empty.reason == "\(folder.path) has no render node")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let node = folder.appending(path: "renderD128").path
    try Data().write(to: URL(filePath: node))
    let broken = VAAPIProbe(folder: folder.path)
    #expect(broken.devices.map(\.path) == [node] && broken.first == nil)
    #expect(broken.reason?.contains("H.264 by VAAPI could not be opened") == true, "\(broken.reason ?? "")")
    #expect(throws: CodecError.self) { try VAAPIEncoder(Self.settings, device: node) }
  }
}
