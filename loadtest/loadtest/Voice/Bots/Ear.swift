import Codecs
import RTP
import RoomClient
import WebRTC

/// Hears a mix as a person does: decodes every packet, and knows the speakers by their tones.
struct Ear {
  /// What was heard so far.
  struct Report: Sendable {
    var packets = 0
    /// Packets whose time was never filled.
    var missing = 0
    /// As `PacketCounts.pauses`.
    var pauses = 0
    /// How loud each tone was in the last fifth of a second, relative to how it was spoken.
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
