import RoomCFFmpeg
import RoomRTP

/// Encodes decoded sound as Opus packets of 20 ms.
struct OpusPacking {
  /// The identification header of the packets: two channels at 48 kHz without a gain (RFC 7845 §5.1).
  static let head: [UInt8] = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]

  private let encoder: OpusEncoder
  private var waiting: [Int16] = []
  private var start = MediaTime.zero

  init() throws(CodecError) {
    encoder = try OpusEncoder(OpusEncoderSettings(channels: 2, bitrate: 128_000, application: .music))
  }

  /// Decodes a packet of a container and returns the Opus packets that are complete.
  mutating func packets(
    of packet: UnsafeMutablePointer<AVPacket>?, by track: FileAudioTrack
  ) throws(CodecError) -> [MediaPackets.Packet] {
    var frames: [AudioFrame] = []
    try track.decode(packet) { sample, _ in if case .audio(let frame) = sample { frames.append(frame) } }
    return frames.flatMap { packets(of: $0) }
  }

  /// Returns the packets of what the decoder still holds.
  mutating func drain(_ track: FileAudioTrack) -> [MediaPackets.Packet] { (try? packets(of: nil, by: track)) ?? [] }

  private mutating func packets(of frame: AudioFrame) -> [MediaPackets.Packet] {
    // A gap of the file is one of the packets too.
    let end = start.advanced(microseconds: Int64(waiting.count / 2) * 1_000_000 / 48_000)
    if waiting.isEmpty || abs(frame.timestamp - end) > 50_000 { (waiting, start) = ([], frame.timestamp) }
    waiting += frame.samples
    var packets: [MediaPackets.Packet] = []
    let length = OpusEncoder.frameCount * 2
    var first = 0
    while waiting.count - first >= length {
      let samples = Array(waiting[first..<(first + length)])
      if let data = try? encoder.encode(samples) {
        packets.append(
          .init(codec: .sound(.opus), data: data, decoding: start, presentation: start, isKeyFrame: true, configuration: nil))
      }
      first += length
      start = start.advanced(microseconds: 20_000)
    }
    waiting.removeFirst(first)
    return packets
  }
}
