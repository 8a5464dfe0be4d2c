import Codecs
import Mixing
public import RTP

/// One participant's sound and pictures on their way to a broadcast: H.264 goes through untouched, other codecs are decoded and
/// encoded, sound comes decoded and on the media clock.
///
/// Tracks may pause, go and come back: silence and the last picture keep the timeline going. Sans-I/O but for the tap; one owner at
/// a time.
public final class ForwardProgram: Program {
  /// How it behaves.
  public struct Settings: Sendable, Hashable {
    /// Microseconds that sound is behind the media clock at least, so that late packets are still heard; up to 400 ms where they come
    /// later.
    public var soundDelay: Int64
    /// Microseconds without a picture after which the last one is shown again and again.
    public var stillAfter: Int64
    /// Bits a second of pictures that have to be encoded; nil follows their size and rate, as mixes do.
    public var transcodeBitrate: Int?
    /// Bits a second that a weak uplink reduces it to; nil for a third.
    public var transcodeLeastBitrate: Int?
    /// Frames a second that are encoded at most.
    public var transcodeFPS: Int

    /// The defaults suit an anchor's uplink.
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

  /// As given.
  public let settings: Settings
  /// Whether a track of the kind is heard or seen now.
  public var hasLiveAudio: Bool { audio != nil }
  /// Whether a track of the kind is heard or seen now.
  public var hasLiveVideo: Bool { video != nil }
  /// Since when there is no track at all; nil while there is one.
  public private(set) var emptySince: Instant?

  /// Microseconds that the first sound is waited for.
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

  /// Nothing is heard or seen yet.
  public init(carriesAudio: Bool, carriesVideo: Bool, settings: Settings = .init(), now: Instant) {
    self.carriesAudio = carriesAudio
    self.carriesVideo = carriesVideo
    self.settings = settings
    soundDelay = PlayoutDelay(initial: settings.soundDelay, least: settings.soundDelay)
    pictures = PictureSource(settings)
    emptySince = now
    began = now
  }

  /// Hears the track whose decoder this belongs to from now on, or none.
  public func setAudio(_ inbox: DecodedInbox?, now: Instant) {
    audio = inbox
    noteTracks(now)
  }

  /// Sees this track from now on, or none.
  public func setVideo(_ reader: TrackReader?, now: Instant) {
    video = reader
    pictures.restart()
    noteTracks(now)
  }

  /// Where pictures are encoded here a key frame comes at once, else the publisher has to be asked.
  public func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void) {
    if pictures.wantKeyFrame() { output(.keyFrameNeeded) }
  }

  /// Once a second: how the way out fares. Pictures that are encoded here become smaller, then fewer, while it is weak.
  public func heard(queued: Int, dropped: UInt64) { pictures.heard(queued: queued, dropped: dropped) }

  /// Takes what came, and lets the media clock go on to `now`.
  public func advance(to now: Instant, _ output: (ProgramOutput) -> Void) {
    let heard = audio?.reach(now) ?? now
    for item in audio?.take() ?? [] {
      switch item {
      case .sound(let samples, let position, let came):
        soundDelay.came(AudioInput.time(of: position), at: came)
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
    // In steps of 10 ms.
    let step: Int64 = 480
    soundDelay.advance(to: now)
    let target = AudioInput.position(of: now.mediaTime.advanced(microseconds: -soundDelay.microseconds))
    let start = target / step * step
    // What takes over from another program has nothing to say before its first sample: silence there would be heard as a click.
    let isReady = sound.reachesBack(to: AudioInput.time(of: start)) || now - began >= Self.soundPatience
    guard soundEnd != nil || isReady else { return }
    var position = soundEnd ?? start
    // Nobody waits for what a stopped thread missed.
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
