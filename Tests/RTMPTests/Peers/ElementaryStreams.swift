import Foundation
import RoomPeers
import RoomRTMP
import RoomRTP
import Testing

/// H.264 and AAC from ffmpeg's encoders, without a container.
struct ElementaryStreams {
  /// In Annex B form, 15 per second.
  var accessUnits: [[UInt8]]
  /// Raw frames of 1024 samples at 44.1 kHz.
  var audioFrames: [[UInt8]]

  static func make(seconds: Int) async throws -> ElementaryStreams {
    let folder = FileManager.default.temporaryDirectory.appending(path: "streams-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let video = folder.appending(path: "video.h264")
    let audio = folder.appending(path: "audio.aac")
    let ffmpeg = try Program(
      "ffmpeg",
      testSource(
        seconds: seconds, realTime: false,
        ["-map", "0", "-x264-params", "aud=1", "-f", "h264", video.path, "-map", "1", "-f", "adts", audio.path]))
    let status = try await ffmpeg.finish()
    try #require(status == 0, "\(ffmpeg.text)")
    return ElementaryStreams(
      accessUnits: split([UInt8](try Data(contentsOf: video))), audioFrames: unwrap([UInt8](try Data(contentsOf: audio))))
  }

  /// Splits at the access unit delimiters.
  private static func split(_ stream: [UInt8]) -> [[UInt8]] {
    stream.withUnsafeBytes { bytes in
      var units: [[UInt8]] = []
      for range in AnnexB(bytes) {
        if bytes[range.lowerBound] & 0x1f == 9 { units.append([]) }
        guard !units.isEmpty else { continue }
        units[units.count - 1] += [0, 0, 0, 1] + bytes[range]
      }
      return units
    }
  }

  /// Removes the ADTS headers of 7 bytes.
  private static func unwrap(_ stream: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var position = 0
    while position + 7 <= stream.count {
      let length = Int(stream[position + 3] & 3) << 11 | Int(stream[position + 4]) << 3 | Int(stream[position + 5]) >> 5
      guard length > 7, position + length <= stream.count else { break }
      frames.append(Array(stream[(position + 7)..<(position + length)]))
      position += length
    }
    return frames
  }

  /// Returns a publisher's messages: metadata, sequence headers, and the frames in the order of their times.
  func messages() throws -> [MediaMessage] {
    let converted = accessUnits.map { unit in
      unit.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0) }
    }
    let first = try #require(converted.first)
    let configuration = try #require(
      AVCConfiguration(sequenceParameters: first.sequenceParameters, pictureParameters: first.pictureParameters))
    let picture = try #require(SequenceParameters(parsing: first.sequenceParameters[0]))
    var metadata = StreamMetadata()
    metadata.width = picture.width
    metadata.height = picture.height
    metadata.frameRate = 15
    metadata.videoCodec = 7
    metadata.audioCodec = 10
    metadata.sampleRate = 44_100
    metadata.isStereo = true
    let frames =
      converted.enumerated().map { index, unit in
        MediaMessage(
          .video, timestamp: UInt32(index * 1000 / 15),
          payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: unit.isKeyFrame) + unit.data)
      }
      + audioFrames.enumerated().map { index, frame in
        MediaMessage(
          .audio, timestamp: UInt32(index * 1024 * 1000 / 44_100), payload: AudioTag.aacHeader(.codedFrames) + frame)
      }
    return [
      metadata.message(), MediaMessage(.video, timestamp: 0, payload: configuration.sequenceHeader),
      MediaMessage(.audio, timestamp: 0, payload: AudioSpecificConfig(sampleRate: 44_100, channels: 2).sequenceHeader),
    ] + frames.sorted { $0.timestamp < $1.timestamp }
  }
}
