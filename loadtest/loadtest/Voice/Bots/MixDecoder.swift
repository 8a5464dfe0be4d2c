import RoomCodecs
import RoomRTP
import RoomClient
import RoomWebRTC

/// Decodes every packet of a mix and identifies the speakers by their tones.
struct MixDecoder {
  /// What has been received so far.
  struct Report: Sendable {
    var packets = 0
    /// Packets that never arrived in time for playback.
    var missing = 0
    /// Same as `PacketCounts.pauses`.
    var pauses = 0
    /// Loudness of each tone in the last 200 ms, relative to its original level.
    var loudness: [Double] = []
  }

  private static let memory = 9600

  private let decoder: OpusDecoder
  private let tones: SpokenTones
  private var report = Report()
  private var samples: [Int16] = []
  private var next: UInt32?
  private var last: Instant?

  init(_ tones: SpokenTones) throws {
    self.tones = tones
    decoder = try OpusDecoder()
  }

  var hasHeard: Bool { report.packets > 0 }

  mutating func hear(_ frame: EncodedFrame, now: Instant) {
    report.packets += 1
    if let next {
      let ahead = Int32(bitPattern: frame.timestamp &- next)
      if ahead > 0 { report.missing += Int(ahead) / Int(SpokenTones.ticks) }
    }
    next = frame.timestamp &+ SpokenTones.ticks
    if let last, now - last > StreamPause.limit { report.pauses += 1 }
    last = now
    guard let heard = try? decoder.decode(frame.data) else { return }
    samples += heard
    if samples.count > Self.memory { samples.removeFirst(samples.count - Self.memory) }
  }

  var now: Report {
    var report = report
    report.loudness = tones.frequencies.map {
      ToneDetector.amplitude(of: $0, in: samples, sampleRate: 48_000) / tones.amplitude
    }
    return report
  }
}
