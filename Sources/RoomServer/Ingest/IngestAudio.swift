import RoomCodecs
import Glibc
import RoomLiveOrigin
import RoomRTMP
import RoomRTP

/// Converts sound, as FLV carries it, to Opus: decodes it at 48 kHz in stereo, and encodes it in packets of 20 ms. Opus passes
/// unchanged.
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
  private var codec: SoundCodec?
  private var decoder: SoundDecoder?
  /// Decodes Opus that passes, to measure its level.
  private var meter: OpusDecoder?
  /// Samples that do not fill a packet yet, and the number of the first; nil before the first.
  private var waiting: [Int16] = []
  private var position: Int64?
  private var difference = 0.0
  private var isCorrecting = false
  private var isBroken = false
  /// The factor of the samples. Opus passes unchanged only with 1.
  var gain = 1.0
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
  var hasBegun: Bool { decoder != nil || meter != nil }

  /// Decodes an audio message and returns the packets that are complete.
  /// - Parameter time: the message's time.
  func take(_ payload: [UInt8], at time: MediaTime) throws(IngestError) -> [Packet] {
    guard let tag = payload.withUnsafeBytes({ AudioTag(parsing: $0) }) else {
      malformed += 1
      return []
    }
    if tag.packetType == .multichannelConfig || tag.packetType == .sequenceEnd { return [] }
    let body = Array(payload[tag.track.body])
    if tag.track.codec == .fourCC(.opus) { return try pass(body, isHeader: tag.isSequenceHeader, at: time) }
    if let codec = SoundCodec(tag, payload) {
      try begin(codec)
    } else if tag.isSequenceHeader || codec == nil && !tag.track.codec.isAAC {
      throw .audioCodec(tag.track.codec.title)
    }
    return tag.isSequenceHeader ? [] : decode(body, at: time)
  }

  private func begin(_ codec: SoundCodec) throws(IngestError) {
    guard codec != self.codec else { return }
    if case .aac(let configuration) = codec, configuration.withUnsafeBytes({ AudioSpecificConfig(parsing: $0) }) == nil {
      throw .malformedHeader("AAC")
    }
    do { decoder = try SoundDecoder(codec) } catch { throw .audio("\(error)") }
    self.codec = codec
    meter = nil
  }

  private func decode(_ frame: [UInt8], at time: MediaTime) -> [Packet] {
    guard let decoder, !frame.isEmpty else { return [] }
    guard let samples = try? decoder.decode(frame) else {
      malformed += 1
      isBroken = true
      return []
    }
    return encode(samples, at: time)
  }

  private func encode(_ decoded: [Int16], at time: MediaTime) -> [Packet] {
    var samples = decoded
    if gain != 1 { for index in samples.indices { samples[index] = Int16(clamping: Int(Double(samples[index]) * gain)) } }
    place(&samples, at: time.ticks(rate: Self.rate))
    waiting += samples
    return packets()
  }

  // MARK: Opus

  private func pass(_ body: [UInt8], isHeader: Bool, at time: MediaTime) throws(IngestError) -> [Packet] {
    if meter == nil {
      do { meter = try OpusDecoder(channels: Self.channels) } catch { throw .audio("\(error)") }
      (codec, decoder, waiting, position) = (nil, nil, [], nil)
    }
    guard !isHeader else {
      // OpusHead: the channels after a signature of 8 bytes and the version (RFC 7845 §5.1). RTP has two at most (RFC 7587 §7).
      if body.count > 9, body[9] > 2 { throw .audioCodec("Opus with \(body[9]) channels") }
      return []
    }
    guard let meter, let samples = try? meter.decode(body) else {
      malformed += 1
      return []
    }
    guard gain == 1 else { return encode(samples, at: time) }
    waiting = []
    let wanted = time.ticks(rate: Self.rate)
    var start = position ?? wanted
    if abs(wanted &- start) > Self.tolerance {
      jumps += 1
      start = wanted
    }
    position = start &+ Int64(samples.count / Self.channels)
    return [Packet(payload: body, position: start, level: Self.level(of: samples))]
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
}
