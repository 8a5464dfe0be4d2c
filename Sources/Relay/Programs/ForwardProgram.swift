import RoomCodecs
import RoomMixing
public import RoomRTP

/// Forwards one participant's audio and video to a broadcast. H.264 passes through unchanged; other video codecs are
/// transcoded. Audio arrives decoded and on the media clock.
///
/// Tracks may pause, leave and return: silence and the last picture keep the timeline running. Sans-I/O except for the tap. Not
/// thread-safe; one owner at a time.
public final class ForwardProgram: Program {
  /// The settings of a forward program.
  public struct Settings: Sendable, Hashable {
    /// The minimum delay of audio behind the media clock in µs, so that late packets are still played. The delay grows up to
    /// 400 ms if packets arrive later.
    public var soundDelay: Int64
    /// The time without a picture after which the last one is repeated, in µs.
    public var stillAfter: Int64
    /// The bitrate of transcoded video in bps; nil derives it from size and frame rate, as mixes do.
    public var transcodeBitrate: Int?
    /// The lowest bitrate on a congested uplink in bps; nil for a third of the bitrate.
    public var transcodeLeastBitrate: Int?
    /// The maximum frame rate of transcoded video in frames per second.
    public var transcodeFPS: Int

    /// Creates settings. The defaults suit an anchor's uplink.
    public init(
      soundDelay: Int64 = 160_000, stillAfter: Int64 = 1_000_000, transcodeBitrate: Int? = nil,
      transcodeLeastBitrate: Int? = nil,
      transcodeFPS: Int = 30
    ) {
      self.soundDelay = soundDelay
      self.stillAfter = stillAfter
      self.transcodeBitrate = transcodeBitrate
      self.transcodeLeastBitrate = transcodeLeastBitrate
      self.transcodeFPS = transcodeFPS
    }
  }

  /// The settings.
  public let settings: Settings
  /// Since when there is no track; nil while there is one.
  public private(set) var emptySince: Instant?

  /// How long to wait for the first audio, in µs.
  private static let soundPatience: Int64 = 500_000

  private let began: Instant
  private let carriesAudio: Bool
  private let carriesVideo: Bool
  private var audio: DecodedInbox?
  private var video: TrackReader?
  private let sound = AudioInput()
  private var soundDelay: PlayoutDelay
  private var soundEnd: Int64?
  private var pictures: PictureSource

  /// Creates a program without tracks.
  public init(carriesAudio: Bool, carriesVideo: Bool, settings: Settings = .init(), now: Instant) {
    self.carriesAudio = carriesAudio
    self.carriesVideo = carriesVideo
    self.settings = settings
    soundDelay = PlayoutDelay(initial: settings.soundDelay, least: settings.soundDelay)
    pictures = PictureSource(settings)
    emptySince = now
    began = now
  }

  /// Sets the audio track by its decoder's inbox; nil removes it.
  public func setAudio(_ inbox: DecodedInbox?, now: Instant) {
    audio = inbox
    noteTracks(now)
  }

  /// Sets the video track; nil removes it.
  public func setVideo(_ reader: TrackReader?, now: Instant) {
    video = reader
    pictures.restart()
    noteTracks(now)
  }

  /// Transcoded video produces a key frame at once; otherwise the publisher must be asked.
  public func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void) {
    if pictures.wantKeyFrame() { output(.keyFrameNeeded) }
  }

  /// Reports the connection's state; called once a second. While the connection is congested, transcoded video reduces its
  /// bitrate first, then its frame rate.
  public func uplinkReported(queued: Int, dropped: UInt64) { pictures.uplinkReported(queued: queued, dropped: dropped) }

  /// Processes what has arrived and advances the media clock to `now`.
  public func advance(to now: Instant, _ output: (ProgramOutput) -> Void) {
    let heard = audio?.reach(now) ?? now
    for item in audio?.take() ?? [] {
      switch item {
      case .sound(let samples, let position, let came):
        soundDelay.recordArrival(AudioInput.time(of: position), at: came)
        sound.write(samples, from: position)
      case .lateness(let lateness): soundDelay.expect(lateness)
      case .ended: audio = nil
      case .picture, .muted: break
      }
    }
    video?.poll(now: now) { event in
      switch event {
      case .frame(let frame, let format, let time): pictures.take(frame, format, at: time, now: now) { output(.picture($0)) }
      case .keyFrameNeeded:
        pictures.restart()
        output(.keyFrameNeeded)
      case .ended: video = nil
      case .muted: break
      }
    }
    noteTracks(now)
    if carriesVideo { pictures.advance(to: now) { output(.picture($0)) } }
    if carriesAudio { advanceSound(to: heard, output) }
  }

  private func advanceSound(to now: Instant, _ output: (ProgramOutput) -> Void) {
    // Steps of 10 ms.
    let step: Int64 = 480
    soundDelay.advance(to: now)
    let target = AudioInput.position(of: now.mediaTime.advanced(microseconds: -soundDelay.microseconds))
    let start = target / step * step
    // A program that takes over outputs nothing before its first sample: silence there would cause an audible click.
    let isReady = sound.reachesBack(to: AudioInput.time(of: start)) || now - began >= Self.soundPatience
    guard soundEnd != nil || isReady else { return }
    var position = soundEnd ?? start
    // Don't catch up on what a stalled thread missed.
    if target - position > AudioInput.sampleRate { position = target / step * step }
    while position + step <= target {
      output(.sound(sound.read(at: position, count: Int(step)), at: position))
      position += step
    }
    soundEnd = position
  }

  private func noteTracks(_ now: Instant) {
    if audio != nil || video != nil { emptySince = nil } else if emptySince == nil { emptySince = now }
  }
}
