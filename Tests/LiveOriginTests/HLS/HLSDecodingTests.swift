import RoomCodecs
import Foundation
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomLiveOrigin

/// Decoding of segments by libavformat.
@Suite struct HLSDecodingTests {
  private struct Packet: Decodable {
    var codec_type: String
    var dts_time: String
    var pts_time: String?
    var duration_time: String?
    var flags: String
    var dts: Double { Double(dts_time) ?? .nan }
  }
  private struct Probe: Decodable {
    struct Stream: Decodable {
      var codec_name: String
      var width: Int?
      var height: Int?
    }
    var packets: [Packet]
    var streams: [Stream]
    func steps(_ type: String) -> [Double] {
      let times = packets.filter { $0.codec_type == type }.map(\.dts)
      return zip(times.dropFirst(), times).map(-)
    }
    func start(_ type: String) -> Double? { packets.first { $0.codec_type == type }?.dts }
  }

  /// Writes a packager's playlist and files to disk, and probes and decodes them. Returns the errors that ffmpeg reported as
  /// text.
  private func probe(_ packager: HLSPackager) throws -> (Probe, decodingErrors: String) {
    try written(packager) { playlist in
      let probed = try FFmpegStream.run(
        ["ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-of", "json", "-show_packets", "-show_streams", playlist])
      let decoded = try FFmpegStream.run(
        ["ffmpeg", "-v", "warning", "-nostdin", "-allowed_extensions", "ALL", "-i", playlist, "-f", "null", "-"])
      let probe = try JSONDecoder().decode(Probe.self, from: probed.output)
      return (probe, probed.errors + decoded.errors)
    }
  }

  /// Calls `body` with the path of a playlist that is on disk together with its files.
  private func written<Result>(
    _ packager: HLSPackager, changes: HLSPlaylist.Changes = .marked, _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "studio"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for segment in packager.window.listed {
      let file = folder.appending(path: "studio/\(HLSResource.segment(segment.number).name)")
      try Data(segment.bytes).write(to: file)
      let section = try #require(packager.window.initialisation(segment.initialisation))
      try Data(section).write(to: folder.appending(path: "studio/\(HLSResource.initialisation(segment.initialisation).name)"))
    }
    let playlist = folder.appending(path: "studio.m3u8")
    let text = HLSPlaylist(packager.window, epoch: packager.epoch ?? 0, folder: "studio", changes: changes).text
    try Data(text.utf8).write(to: playlist)
    return try body(playlist.path)
  }

  private func packaged(
    _ messages: [LiveMedia], _ settings: HLSSettings = HLSSettings(window: 20), codecs: MediaCodecs = MediaCodecs()
  ) -> HLSPackager {
    let packager = HLSPackager(settings, codecs: codecs)
    for message in messages { packager.take([message], unixTime: 1_700_000_000_000 + message.time.milliseconds) }
    return packager
  }

  @Test("ffprobe reads each picture and audio frame once, with increasing times and no gap, and ffmpeg decodes them")
  func decodes() throws {
    let stream = try EncodedStream(.init(start: 5000))
    let packager = packaged(try stream.messages(until: 14_000))
    packager.finish()
    let (probe, decodingErrors) = try probe(packager)
    #expect(decodingErrors.isEmpty, "\(decodingErrors)")
    #expect(probe.streams.map(\.codec_name) == ["h264", "aac"])
    #expect(probe.streams[0].width == 320 && probe.streams[0].height == 180)
    let (pictures, sound) = (probe.steps("video"), probe.steps("audio"))
    #expect(pictures.count == 134 && pictures.allSatisfy { (0.065...0.068).contains($0) }, "\(pictures.count)")
    #expect(sound.count > 380 && sound.allSatisfy { (0.0231...0.0234).contains($0) }, "\(sound.count)")
    // The encoder's first audio frame is 23 ms late; the stream's times are kept.
    #expect(probe.start("video") == 5.0 && abs((probe.start("audio") ?? 0) - 5.023) < 0.002)
    #expect(probe.packets.filter { $0.codec_type == "video" && $0.flags.hasPrefix("K") }.count == 5)
  }

  @Test("audio-only and video-only streams play", arguments: [true, false])
  func oneTrack(isVideo: Bool) throws {
    let stream = try EncodedStream(.init(hasVideo: isVideo, hasAudio: !isVideo))
    let packager = packaged(try stream.messages(until: 6500))
    packager.finish()
    let (probe, decodingErrors) = try probe(packager)
    #expect(decodingErrors.isEmpty, "\(decodingErrors)")
    #expect(probe.streams.map(\.codec_name) == [isVideo ? "h264" : "aac"])
    let steps = probe.steps(isVideo ? "video" : "audio")
    #expect(steps.count > 90 && steps.allSatisfy { $0 > 0.02 && $0 < 0.07 })
  }

  @Test(
    "sound that browsers do not play in MP4 becomes AAC without a gap",
    arguments: [
      ["libmp3lame", "-ar", "44100"], ["pcm_mulaw", "-ar", "8000"],
      ["pcm_alaw", "-ar", "8000"], ["nellymoser", "-ar", "22050"],
      ["libspeex", "-ar", "16000"], ["pcm_s16le", "-ar", "44100"],
    ])
  func otherSound(arguments: [String]) throws {
    let messages = try FFmpegStream.make(seconds: 5, ["-bf", "0", "-g", "15"], sound: ["-ac", "1", "-c:a"] + arguments)
    let sound = try #require(messages.first { $0.media.kind == .audio }).media.payload
    let codec = sound.withUnsafeBytes { AudioTag(parsing: $0) }?.track.codec
    let packager = packaged(messages, codecs: MediaCodecs(video: .avc, audio: codec))
    packager.finish()
    let (probe, decodingErrors) = try probe(packager)
    #expect(decodingErrors.isEmpty, "\(decodingErrors)")
    #expect(probe.streams.map(\.codec_name) == ["h264", "aac"])
    let steps = probe.steps("audio")
    #expect(steps.count > 180 && steps.allSatisfy { (0.0212...0.0215).contains($0) }, "\(steps.max() ?? 0)")
    #expect(abs((probe.start("audio") ?? 9) - (probe.start("video") ?? 0)) < 0.1)
  }

  @Test("VP9 is carried, with the size that its key frames state; VP8 is stated as missing", arguments: [true, false])
  func vpx(isVP9: Bool) throws {
    let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 200_000, keyFrameInterval: 15)
    let encoder: any VideoEncoder = isVP9 ? try VP9Encoder(settings) : try VP8Encoder(settings)
    let pattern = try TestPattern(width: 320, height: 180, index: 1)
    let code: FourCC = isVP9 ? .vp9 : .vp8
    var messages: [LiveMedia] = []
    func add(_ time: Int64, _ payload: [UInt8], isKeyFrame: Bool) {
      let message = MediaMessage(.video, timestamp: UInt32(time), payload: payload)
      messages.append(LiveMedia(message, time: MediaTime(milliseconds: time), isKeyFrame: isKeyFrame))
    }
    let record: [UInt8] = [1, 0, 0, 0, 0, 10, 0x82, 2, 2, 2, 0, 0]
    add(0, VideoTag.enhancedHeader(code, .sequenceStart, isKeyFrame: true) + record, isKeyFrame: true)
    for number in 0..<60 {
      let time = Int64(number * 1000 / 15)
      let frame = try pattern.frame(number: number, milliseconds: time, timestamp: MediaTime(milliseconds: time))
      let picture = try #require(try encoder.encode(frame, forceKeyFrame: false))
      let header = VideoTag.enhancedHeader(code, .codedFrames, isKeyFrame: picture.isKeyFrame)
      add(time, header + picture.data, isKeyFrame: picture.isKeyFrame)
    }
    let codecs = MediaCodecs(video: .fourCC(code))
    let packager = packaged(messages)
    packager.finish()
    #expect(codecs.notInHLS == (isVP9 ? [] : ["VP8"]))
    guard isVP9 else {
      #expect(packager.window.listed.isEmpty)
      return
    }
    let (probe, decodingErrors) = try probe(packager)
    #expect(decodingErrors.isEmpty, "\(decodingErrors)")
    #expect(probe.streams.map(\.codec_name) == ["vp9"])
    #expect(probe.streams.first?.width == 320 && probe.streams.first?.height == 180)
    #expect(probe.steps("video").count == 59)
    #expect(packager.counters.dropped == 0)
    let track = FragmentedMP4.Track(
      try #require(messages[1].media.payload.withUnsafeBytes { VideoTag(parsing: $0) }), messages[1].media.payload)
    #expect(track?.codecName == "vp09.00.11.08")
  }

  @Test("times continue when a publisher returns with another size")
  func changes() throws {
    let first = try EncodedStream().messages(until: 4500)
    let second = try EncodedStream(.init(width: 240, height: 240, start: 7000)).messages(until: 11_500)
    let packager = packaged(first + second)
    packager.finish()
    let discontinuities = packager.window.listed.filter(\.isDiscontinuous)
    #expect(discontinuities.map(\.start.milliseconds) == [7000] && packager.window.listed.count == 6)
    let (probe, _) = try probe(packager)
    #expect(probe.steps("video").allSatisfy { $0 > 0 && $0 < 2.6 } && probe.steps("video").contains { $0 > 2.4 })
  }

  @Test("ffmpeg decodes every picture across changes of size, marked or not", arguments: [true, false])
  func changesOfSize(areMarked: Bool) throws {
    var all: [LiveMedia] = []
    var pictures = 0
    for (index, size) in [(320, 180), (240, 240), (320, 180), (180, 320)].enumerated() {
      let start = Int64(index) * 3000
      let messages = try EncodedStream(.init(width: size.0, height: size.1, hasAudio: false, start: start)).messages(
        until: start + 3000)
      pictures += messages.filter { $0.isKeyFrame || $0.media.payload.first == 0x27 }.count
      all += messages
    }
    let packager = packaged(all)
    packager.finish()
    #expect(packager.counters.discontinuities == 3)
    try written(packager, changes: areMarked ? .marked : .unmarked) { playlist in
      let decoded = try FFmpegStream.run([
        "ffmpeg", "-v", "error", "-nostdin", "-allowed_extensions", "ALL", "-i", playlist, "-vf", "scale=64:64", "-vsync",
        "passthrough", "-f", "framehash", "-",
      ])
      let lines = String(decoding: decoded.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(decoded.errors.isEmpty, "\(decoded.errors)")
      #expect(lines.count == pictures && pictures > 170, "\(lines.count) of \(pictures)")
    }
  }

  @Test("pictures that are reordered for presentation keep both times")
  func reordered() throws {
    let packager = packaged(try FFmpegStream.make(seconds: 5, ["-bf", "3", "-g", "30"]))
    packager.finish()
    let (probe, decodingErrors) = try probe(packager)
    #expect(decodingErrors.isEmpty, "\(decodingErrors)")
    #expect(probe.steps("video").count == 74 && probe.steps("video").allSatisfy { (0.065...0.068).contains($0) })
    let shown = probe.packets.filter { $0.codec_type == "video" }.compactMap { $0.pts_time.flatMap { Double($0) } }
    #expect(shown != shown.sorted())
    let ordered = shown.sorted()
    #expect(zip(ordered.dropFirst(), ordered).allSatisfy { (0.065...0.068).contains($0 - $1) }, "\(ordered)")
  }

  @Test("real HEVC and AV1 configurations are accepted, and their size is found")
  func otherCodecs() throws {
    for (encoder, name) in [("libx265", "hevc"), ("libaom-av1", "av1")] {
      let file = FileManager.default.temporaryDirectory.appending(path: "hls-\(UUID().uuidString).mp4")
      defer { try? FileManager.default.removeItem(at: file) }
      _ = try FFmpegStream.run(
        [
          "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=15", "-frames:v", "2", "-c:v",
          encoder,
        ]
          + (name == "av1" ? ["-cpu-used", "8"] : ["-preset", "ultrafast"]) + [file.path])
      let bytes = [UInt8](try Data(contentsOf: file))
      let box = Array((name == "av1" ? "av1C" : "hvcC").utf8)
      let place = try #require(bytes.indices.dropLast(8).first { bytes[$0..<($0 + 4)].elementsEqual(box) })
      let length = bytes[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) } - 8
      let configuration = Array(bytes[(place + 4)..<(place + 4 + length)])
      let header = VideoTag.enhancedHeader(name == "av1" ? .av1 : .hevc, .sequenceStart, isKeyFrame: true) + configuration
      let tag = try #require(header.withUnsafeBytes { VideoTag(parsing: $0) })
      let track = try #require(FragmentedMP4.Track(tag, header), "\(name)")
      #expect(track.width == 320 && track.height == 180)
    }
  }
}
