import RoomCodecs
import Glibc
import RoomRTMP
import RoomRTP

/// Converts AAC, as FLV carries it, to Opus: decodes it at 48 kHz in stereo, and encodes it in packets of 20 ms.
///
/// The samples are counted, so that the packets follow each other without a gap. If the messages' times differ from the count,
/// the count is corrected: gradually, by single samples, if the encoder's sound card drifts; at once if sound is missing.
final class IngestAudio {
  /// An Opus packet, and the number of its first sample on the stream's timeline.
  struct Packet {
    var payload: [UInt8]
    var position: Int64
    var level: AudioLevel
  }

  private static let rate: Int64 = 48_000
  private static let channels = 2
  /// The difference between count and times, in samples, above which the count is corrected at once: 40 ms.
  private static let tolerance: Int64 = 1920
  /// The differences in samples at which gradual correction starts and ends: 8 ms and 1 ms.
  private static let drift = 384.0
  private static let settled = 48.0
  /// A longer gap, in samples, is left out instead of filled with silence: 500 ms.
  private static let longestSilence: Int64 = 24_000

  private let encoder: OpusEncoder
  private var decoder: AACDecoder?
  private var configuration: [UInt8] = []
  /// Samples that do not fill a packet yet, and the number of the first; nil before the first.
  private var waiting: [Int16] = []
  private var position: Int64?
  private var difference = 0.0
  private var isCorrecting = false
  private var isBroken = false
  /// Frames that could not be decoded.
  private(set) var malformed = 0
  /// The number of times that missing or surplus sound was corrected at once.
  private(set) var jumps = 0

  init() throws(IngestError) {
    do {
      encoder = try OpusEncoder(
        OpusEncoderSettings(channels: Self.channels, bitrate: 128_000, application: .music, expectedLoss: 2))
    } catch { throw .audio("\(error)") }
  }

  /// Whether the stream's configuration has arrived.
  var hasBegun: Bool { decoder != nil }

  /// Decodes an audio message and returns the packets that are complete.
  /// - Parameter time: the message's time.
  func take(_ payload: [UInt8], at time: MediaTime) throws(IngestError) -> [Packet] {
    guard let tag = payload.withUnsafeBytes({ AudioTag(parsing: $0) }) else {
      malformed += 1
      return []
    }
    if tag.packetType == .multichannelConfig || tag.packetType == .sequenceEnd { return [] }
    guard tag.track.codec.isAAC else { throw .audioCodec(Self.name(of: tag.track.codec)) }
    let body = Array(payload[tag.track.body])
    if tag.isSequenceHeader {
      try begin(body)
      return []
    }
    return decode(body, at: time)
  }

  private func begin(_ configuration: [UInt8]) throws(IngestError) {
    guard configuration != self.configuration else { return }
    guard configuration.withUnsafeBytes({ AudioSpecificConfig(parsing: $0) }) != nil else { throw .malformedHeader("AAC") }
    do { decoder = try AACDecoder(audioSpecificConfig: configuration) } catch { throw .audio("\(error)") }
    self.configuration = configuration
  }

  private func decode(_ frame: [UInt8], at time: MediaTime) -> [Packet] {
    guard let decoder, !frame.isEmpty else { return [] }
    guard var samples = try? decoder.decode(frame) else {
      malformed += 1
      isBroken = true
      return []
    }
    place(&samples, at: time.ticks(rate: Self.rate))
    waiting += samples
    return packets()
  }

  /// Aligns the samples with those before, so that they are played at their time.
  private func place(_ samples: inout [Int16], at wanted: Int64) {
    guard let position else {
      self.position = wanted
      return
    }
    let error = wanted &- (position &+ Int64(waiting.count / Self.channels))
    if error.magnitude > Self.tolerance || isBroken && error > Self.tolerance / 4 {
      jumps += 1
      difference = 0
      isCorrecting = false
      isBroken = false
      if error > Self.longestSilence {
        // The waiting samples are less than a packet, and are lost.
        waiting = []
        self.position = wanted
      } else if error > 0 {
        waiting += [Int16](repeating: 0, count: Int(error) * Self.channels)
      } else {
        samples.removeFirst(Int(min(UInt64(samples.count), error.magnitude &* UInt64(Self.channels))))
      }
      return
    }
    isBroken = false
    difference += (Double(error) - difference) / 32
    if abs(difference) > Self.drift { isCorrecting = true }
    if abs(difference) < Self.settled { isCorrecting = false }
    // One sample in a frame of 20 ms or more: a tenth of a percent, which is inaudible.
    guard isCorrecting, samples.count >= Self.channels else { return }
    if difference > 0 { samples += samples.suffix(Self.channels) } else { samples.removeLast(Self.channels) }
  }

  private func packets() -> [Packet] {
    var packets: [Packet] = []
    let length = OpusEncoder.frameCount * Self.channels
    var start = 0
    while waiting.count - start >= length, let first = position {
      let samples = Array(waiting[start..<(start + length)])
      start += length
      position = first &+ Int64(OpusEncoder.frameCount)
      guard let payload = try? encoder.encode(samples) else { continue }
      packets.append(Packet(payload: payload, position: first, level: Self.level(of: samples)))
    }
    if start > 0 { waiting.removeFirst(start) }
    return packets
  }

  private static func level(of samples: [Int16]) -> AudioLevel {
    let level = AudioFrame(samples: samples, format: .stereo48k).level
    guard level > 0 else { return AudioLevel(level: 127, voice: false) }
    let decibels = min(127, max(0, -20 * log10(level)))
    return AudioLevel(level: UInt8(decibels), voice: decibels < 50)
  }

  private static func name(of codec: AudioTag.Codec) -> String {
    switch codec {
    case .aac: "AAC"
    case .other(2), .other(14): "MP3"
    case .other(0), .other(1), .other(3): "PCM"
    case .other(7), .other(8): "G.711"
    case .other(11): "Speex"
    case .other(let number): "FLV codec \(number)"
    case .fourCC(.opus): "Opus"
    case .fourCC(let code): "\(code)"
    }
  }
}
