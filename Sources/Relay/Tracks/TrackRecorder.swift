import Foundation
public import NIOCore
import RoomPush
import RoomRTP

/// Records a published track as it was published, without decoding it: each publication into a file of its own.
///
/// The handle is thread-safe; reading runs on one thread.
public final class TrackRecorder: Sendable {
  private let recording: TrackRecording

  /// Starts to record.
  /// - Parameters:
  ///   - open: Taps the track. Called once on `loop`.
  ///   - failed: Called on any thread with the reason if no file can be made, or a file can't continue.
  public init(
    _ track: RecordedTrackSource, of owner: RecordingOwner, in recordings: Recordings, loop: any EventLoop,
    open: @escaping @Sendable () -> TrackSource, failed: @escaping @Sendable (RecordingFailure) -> Void
  ) {
    recording = TrackRecording(track, of: owner, in: recordings, loop: loop, failed: failed)
    loop.execute { [recording] in recording.assumeIsolated { $0.begin(open()) } }
  }

  /// Completes the file.
  public func stop() { recording.loop.execute { [recording] in recording.assumeIsolated { $0.stop() } } }
}

private actor TrackRecording {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// The interval between two polls of the tap.
  private static let step = TimeAmount.milliseconds(20)

  nonisolated let loop: any EventLoop
  private let track: RecordedTrackSource
  private let owner: RecordingOwner
  private let recordings: Recordings
  private let failed: @Sendable (RecordingFailure) -> Void
  private var source: TrackSource?
  private var reader: TrackReader?
  private var ticking: Metronome?
  private var samples = TrackSamples()
  private var timeline = TrackTimeline()
  private var outlet: TrackOutlet?
  /// A track whose file can't be made is not tried again.
  private var isOver = false
  /// The media clock's start in ms since 1970, as at the start of the recording: a clock that is set does not move the frames.
  private var epoch: Int64 = 0

  init(
    _ track: RecordedTrackSource, of owner: RecordingOwner, in recordings: Recordings, loop: any EventLoop,
    failed: @escaping @Sendable (RecordingFailure) -> Void
  ) {
    self.track = track
    self.owner = owner
    self.recordings = recordings
    self.loop = loop
    self.failed = failed
  }

  func begin(_ source: TrackSource) {
    guard !isOver else { return source.release() }
    self.source = source
    epoch = Int64(Date().timeIntervalSince1970 * 1000) - RTMPPush.now().mediaTime.milliseconds
    reader = TrackReader(source.tap, participant: source.clock)
    source.requestKeyFrame()
    ticking = Metronome(every: Self.step, on: loop) { [weak self] in
      self?.assumeIsolated { $0.poll() }
      return self != nil
    }
  }

  func stop() {
    // What has arrived before.
    if !isOver { poll() }
    isOver = true
    ticking?.stop()
    ticking = nil
    outlet?.close()
    outlet = nil
    reader = nil
    source?.release()
    source = nil
  }

  private func poll() {
    guard let reader, let source else { return }
    var isEnded = false
    reader.poll(now: RTMPPush.now()) { output in
      switch output {
      case .frame(let frame, let format, let time):
        take(frame, format, capturedAt: epoch + time.milliseconds)
      case .keyFrameNeeded: source.requestKeyFrame()
      case .muted: break
      case .ended: isEnded = true
      }
    }
    if isEnded, !isOver { stop() }
  }

  private func take(_ frame: EncodedFrame, _ payload: PayloadFormat, capturedAt: Int64) {
    guard !isOver, let sample = samples.take(frame, payload) else { return }
    let rate = Int64(sample.format.timescale)
    if let outlet, outlet.format.codec != sample.format.codec || !timeline.continues(frame.timestamp, capturedAt, rate: rate) {
      outlet.close()
      self.outlet = nil
    }
    if outlet == nil {
      guard sample.isKeyFrame else {
        source?.requestKeyFrame()
        return
      }
      timeline = TrackTimeline()
      do throws(RecordingFailure) {
        outlet = try recordings.begin(track, sample.format, of: owner, startedAt: capturedAt) { [failed] failure in
          if let failure { failed(failure) }
        }
      } catch {
        isOver = true
        return failed(error)
      }
    }
    let (time, startedAt) = timeline.place(frame.timestamp, capturedAt, rate: rate)
    outlet?.add(sample, at: time, startedAt: startedAt)
  }
}

/// Places the frames of a track on the timeline of its file, by their RTP timestamps.
struct TrackTimeline {
  /// A publisher whose timestamps and times of capture differ by more has started again, in ms.
  private static let leap: Int64 = 2000
  /// The longest gap in a file, in ms.
  private static let longestGap: Int64 = 3_600_000

  private var unwrapper = TimestampUnwrapper()
  private var first: Int64?
  private var last: (time: Int64, capturedAt: Int64)?
  private var startedAt = Int64.max

  /// Returns whether a frame belongs to the same file as the ones before.
  /// - Parameter capturedAt: in ms since 1970.
  func continues(_ timestamp: UInt32, _ capturedAt: Int64, rate: Int64) -> Bool {
    guard let first, let last else { return true }
    let step = (unwrapper.peek(timestamp) - first - last.time) * 1000 / rate
    let elapsed = capturedAt - last.capturedAt
    return abs(step - elapsed) <= Self.leap && elapsed <= Self.longestGap
  }

  /// Returns the ticks since the first frame, and when that was captured, in ms since 1970.
  mutating func place(_ timestamp: UInt32, _ capturedAt: Int64, rate: Int64) -> (time: Int64, startedAt: Int64) {
    let ticks = unwrapper.unwrap(timestamp)
    let begin = first ?? ticks
    first = begin
    let time = ticks - begin
    last = (time, capturedAt)
    // A report that a busy publisher sends late, and an arrival, place frames too late, never too early.
    startedAt = min(startedAt, capturedAt - time * 1000 / rate)
    return (time, startedAt)
  }
}
