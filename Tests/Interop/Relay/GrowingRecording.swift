import Foundation
import RoomCodecs
import RoomRTMP
import RoomRTP

/// Reads an FLV file while another program writes it, so that a test can wait for its content. The program must write each packet
/// at once (`-flush_packets 1`).
final class GrowingRecording {
  private let path: String
  private let lookAt: (VideoFrame) -> String
  private var file: FileHandle?
  private var demuxer = FLVDemuxer()
  private var configuration: AVCConfiguration?
  private let decoder: H264Decoder
  /// The last look, with the times of its first and last pictures in milliseconds.
  private var last: (look: String, from: UInt32, to: UInt32)?
  private var counts: [MediaMessage.Kind: Int] = [:]

  /// - Parameter lookAt: returns the look of each picture, in order.
  init(_ path: String, lookAt: @escaping (VideoFrame) -> String = { Sides.look(of: $0) }) throws {
    self.path = path
    self.lookAt = lookAt
    decoder = try H264Decoder()
  }

  /// Returns whether the file now ends with pictures of one look that last for a number of seconds.
  func shows(_ look: String, for seconds: Double) throws -> Bool {
    try readOn()
    return last.map { $0.look == look && Double($0.to - $0.from) >= seconds * 1000 } ?? false
  }

  /// Returns the number of packets so far, without configurations.
  func count(_ kind: MediaMessage.Kind) throws -> Int {
    try readOn()
    return counts[kind] ?? 0
  }

  /// Reads what was written since the last call.
  private func readOn() throws {
    if file == nil { file = FileHandle(forReadingAtPath: path) }
    guard let bytes = try file?.readToEnd() else { return }
    try bytes.withUnsafeBytes { memory in
      var rest = memory
      while let message = try demuxer.read(&rest) { take(message) }
    }
  }

  private func take(_ message: MediaMessage) {
    switch message.kind {
    case .video: message.payload.withUnsafeBytes { take(picture: $0, at: message.timestamp) }
    case .audio:
      let isAudio = message.payload.withUnsafeBytes { AudioTag(parsing: $0)?.packetType == .codedFrames }
      if isAudio { counts[.audio, default: 0] += 1 }
    case .data: break
    }
  }

  private func take(picture payload: UnsafeRawBufferPointer, at time: UInt32) {
    guard let tag = VideoTag(parsing: payload) else { return }
    let body = UnsafeRawBufferPointer(rebasing: payload[tag.track.body])
    if tag.isSequenceHeader {
      configuration = AVCConfiguration(parsing: body)
    } else if tag.packetType == .codedFrames || tag.packetType == .codedFramesX {
      counts[.video, default: 0] += 1
      show(body, isKeyFrame: tag.isKeyFrame, at: time)
    }
  }

  private func show(_ body: UnsafeRawBufferPointer, isKeyFrame: Bool, at time: UInt32) {
    guard let configuration,
      let unit = AVCAccessUnit.annexB(
        withLengths: body, lengthSize: configuration.lengthSize, configuration: isKeyFrame ? configuration : nil),
      let picture = try? decoder.decode(unit, timestamp: MediaTime(milliseconds: Int64(time)))
    else { return }
    let look = lookAt(picture)
    let from = if let last, last.look == look { last.from } else { time }
    last = (look, from, time)
  }
}
