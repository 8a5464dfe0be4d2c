import RoomMixing
public import RoomRTP
public import RoomSFU
import Synchronization

/// The clock shared by all tracks and readers of one participant, so that all programs agree on media times.
public final class SharedClock: Sendable {
  private let clock = Mutex(ParticipantClock())

  /// Creates a clock without any reports.
  public init() {}

  func receiveReport(_ ntp: NTPTime, now: Instant) { clock.withLock { $0.receiveReport(ntp, now: now) } }

  var current: ParticipantClock { clock.withLock { $0 } }
}

/// A tapped track as frames on the media clock, for programs.
///
/// Poll it often: its buffers are bounded only by its tap and its jitter buffer. Not thread-safe; one owner at a time.
public final class TrackReader {
  /// An output of the reader.
  public enum Output {
    case frame(EncodedFrame, PayloadFormat, at: MediaTime)
    /// Video cannot continue without a key frame.
    case keyFrameNeeded
    case muted(Bool)
    /// The track ended.
    case ended
  }

  /// The tap that it reads.
  public let tap: TrackTap
  private let participant: SharedClock
  private var clock: TrackClock?
  private var buffer: TapBuffer
  private var waiting: [Output] = []

  /// - Parameters:
  ///   - participant: The clock shared by the participant's tracks, which keeps its audio and video in sync.
  ///   - configuration: How long to wait for missing packets; nil for the default of the kind.
  public init(_ tap: TrackTap, participant: SharedClock, configuration: JitterBuffer.Configuration? = nil) {
    self.tap = tap
    self.participant = participant
    buffer = TapBuffer(configuration: configuration)
  }

  /// Passes everything that is ready to `body`.
  public func poll(now: Instant, _ body: (Output) -> Void) {
    var isMore = true
    while isMore { isMore = tap.read { record, payload in take(record, payload) } }
    drain(now)
    let outputs = waiting
    waiting.removeAll(keepingCapacity: true)
    for output in outputs { body(output) }
  }

  private func take(_ record: TapRecord, _ payload: UnsafeRawBufferPointer) {
    switch record {
    case .packet(let sequence, let timestamp, let marker, let format, let arrival, _):
      if !buffer.isContinued(by: sequence, format) {
        drain(arrival)
        buffer.begin(format)
        if clock?.rate != Self.rate(of: format) { clock = TrackClock(rate: UInt32(Self.rate(of: format))) }
      }
      clock?.receivePacket(timestamp, arrival: arrival)
      buffer.insert(payload, sequence: sequence, timestamp: timestamp, marker: marker, arrival: arrival)
      drain(arrival)
    case .report(let ntp, let timestamp, let arrival):
      participant.receiveReport(ntp, now: arrival)
      clock?.report(timestamp, at: ntp, on: participant.current, now: arrival)
    case .muted(let isMuted): waiting.append(.muted(isMuted))
    case .ended: waiting.append(.ended)
    }
  }

  private func drain(_ now: Instant) {
    while let output = buffer.next(now: now) {
      switch output {
      case .frame(let frame):
        if let format = buffer.format, let time = clock?.mediaTime(of: frame.timestamp) {
          waiting.append(.frame(frame, format, at: time))
        }
      case .keyFrameNeeded: waiting.append(.keyFrameNeeded)
      }
    }
  }

  private static func rate(of format: PayloadFormat) -> Int64 { format.isVideo ? 90_000 : 48_000 }
}
