import RoomCodecs
import RoomRTP

@testable import RoomRelay
@testable import RoomSFU

/// A participant whose packets are written directly to taps, in virtual time.
final class Anchor {
  let video: TrackTap
  let audio: TrackTap
  private var sequence: Int64 = 70_000
  private var soundSequence: Int64 = 90_000
  private let h264 = H264Packetizer()
  private var vp8 = VP8Packetizer()
  private let opus: OpusEncoder
  private let encoder: any VideoEncoder
  let format: PayloadFormat
  /// The wall clock of this participant.
  let wall: Int64 = 99_000_000_000
  /// The rate of its clocks relative to real time.
  var pace = 1.0
  var sent: [[UInt8]] = []
  var wantsKeyFrame = false
  private var number = 0

  init(_ format: PayloadFormat = .h264, size: (Int, Int) = (64, 48), bitrate: Int = 150_000) throws {
    self.format = format
    video = TrackTap(capacity: TrackTap.videoBytes)
    audio = TrackTap(capacity: TrackTap.audioBytes)
    opus = try OpusEncoder(.init(channels: 2, bitrate: 96_000, application: .music))
    let settings = VideoEncoderSettings(width: size.0, height: size.1, fps: 25, bitrate: bitrate, keyFrameInterval: 0)
    encoder = format == .h264 ? try H264Encoder(settings) : try VP8Encoder(settings)
  }

  /// Returns a time on its own clock, in µs.
  private func local(_ time: Int64) -> Int64 { pace == 1 ? time : Int64(Double(time) * pace) }

  private func write(
    _ packet: (sequence: Int64, timestamp: UInt32, marker: Bool), _ format: PayloadFormat, _ payload: [UInt8], to tap: TrackTap,
    at time: Int64
  ) {
    payload.withUnsafeBytes { bytes in
      let stored = StoredPacket(
        sequence: packet.sequence, timestamp: packet.timestamp, length: UInt16(bytes.count), codec: 0,
        flags: packet.marker ? .marker : [], audioLevel: 0)
      tap.ring.write(
        TapRecord.head(of: stored, format: format.rawValue, arrival: Instant(microseconds: time)), bytes.baseAddress)
    }
  }

  /// Sends a picture of this brightness, captured at `time`, that arrives `lag` later.
  func sendPicture(_ brightness: UInt8, at time: Int64, lag: Int64) throws {
    try sendPicture(at: time, lag: lag) { _ in brightness }
  }

  /// Sends a picture whose pixels have these brightnesses, given their index.
  func sendPicture(at time: Int64, lag: Int64, _ brightness: (Int) -> UInt8) throws {
    var frame = try VideoFrame(
      width: encoder.settings.width, height: encoder.settings.height, timestamp: MediaTime(microseconds: time))
    frame.withMutablePlanes { planes in
      for index in 0..<planes.yStride * planes.height { planes.y[index] = brightness(index) }
      for index in 0..<planes.chromaStride * (planes.height / 2) {
        planes.u[index] = 128
        planes.v[index] = 128
      }
    }
    let isKey = number == 0 || wantsKeyFrame
    wantsKeyFrame = false
    number += 1
    guard let picture = try encoder.encode(frame, forceKeyFrame: isKey) else { return }
    sent.append(picture.data)
    let timestamp = UInt32(truncatingIfNeeded: local(time) * 9 / 100)
    let payloads = format == .h264 ? try h264.packetize(picture.data) : vp8.packetize(picture.data)
    for (index, payload) in payloads.enumerated() {
      sequence += 1
      write((sequence, timestamp, index == payloads.count - 1), format, payload, to: video, at: time + lag)
    }
  }

  /// Sends 20 ms of audio at this level.
  func sendSound(_ level: Int16, at time: Int64, lag: Int64) throws {
    soundSequence += 1
    let samples = (0..<960).flatMap { index -> [Int16] in
      let value: Int16 = index / 24 % 2 == 0 ? level : -level
      return [value, value]
    }
    write(
      (soundSequence, UInt32(truncatingIfNeeded: local(time) * 48 / 1000), true), .opus, try opus.encode(samples), to: audio,
      at: time + lag)
  }

  /// Sends bytes that no decoder accepts.
  func sendGarbage(_ bytes: [UInt8], at time: Int64) {
    sequence += 1
    write((sequence, UInt32(truncatingIfNeeded: local(time) * 9 / 100), true), format, bytes, to: video, at: time)
  }

  func report(at time: Int64) {
    let now = Instant(microseconds: time + 10_000)
    let ntp = NTPTime(unixMicroseconds: wall + local(time))
    video.ring.write(
      TapRecord.head(ofReport: ntp, timestamp: UInt32(truncatingIfNeeded: local(time) * 9 / 100), arrival: now), nil)
    audio.ring.write(
      TapRecord.head(ofReport: ntp, timestamp: UInt32(truncatingIfNeeded: local(time) * 48 / 1000), arrival: now), nil)
  }

  func end() {
    for tap in [video, audio] { tap.ring.write(TapRecord.headOfEnd, nil) }
  }
}
