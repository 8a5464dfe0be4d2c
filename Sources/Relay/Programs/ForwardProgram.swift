public import Codecs
import Mixing
public import RTP

/// One participant's sound and pictures on their way to a broadcast: H.264 goes through untouched, other codecs are decoded and
/// encoded, sound is decoded onto the media clock.
///
/// Tracks may pause, go and come back: silence and the last picture keep the timeline going. Sans-I/O but for the taps; one owner at
/// a time.
public final class ForwardProgram {
  /// How it behaves.
  public struct Settings: Sendable, Hashable {
    /// Microseconds that sound is behind the media clock, so that late packets are still heard.
    public var soundDelay: Int64
    /// Microseconds without a picture after which the last one is shown again and again.
    public var stillAfter: Int64
    /// Bits a second where pictures have to be encoded.
    public var transcodeBitrate: Int
    /// Frames a second that encoded pictures are rated by.
    public var transcodeFPS: Int

    /// The defaults suit an anchor's uplink.
    public init(
      soundDelay: Int64 = 160_000, stillAfter: Int64 = 1_000_000, transcodeBitrate: Int = 1_500_000, transcodeFPS: Int = 30
    ) {
      self.soundDelay = soundDelay
      self.stillAfter = stillAfter
      self.transcodeBitrate = transcodeBitrate
      self.transcodeFPS = transcodeFPS
    }
  }

  /// What it makes and wants.
  public enum Output {
    case picture(EncodedPicture)
    /// Stereo at 48 kHz, from this sample on of ``AudioInput``'s grid.
    case sound([Int16], at: Int64)
    /// The publisher's next picture shall be a key frame.
    case keyFrameNeeded
  }

  /// As given.
  public let settings: Settings
  /// Whether a track of the kind is heard or seen now.
  public var hasLiveAudio: Bool { audio != nil }
  /// Whether a track of the kind is heard or seen now.
  public var hasLiveVideo: Bool { video != nil }
  /// Since when there is no track at all; nil while there is one.
  public private(set) var emptySince: Instant?

  private let carriesAudio: Bool
  private let carriesVideo: Bool
  private var audio: TrackReader?
  private var video: TrackReader?
  private let sound: OpusInput
  private var soundEnd: Int64?
  private var pictures: PictureSource

  /// - Throws: ``CodecError`` where there is no memory for the decoders.
  public init(carriesAudio: Bool, carriesVideo: Bool, settings: Settings = .init(), now: Instant) throws(CodecError) {
    self.carriesAudio = carriesAudio
    self.carriesVideo = carriesVideo
    self.settings = settings
    sound = try OpusInput()
    pictures = PictureSource(
      stillAfter: settings.stillAfter, bitrate: settings.transcodeBitrate, fps: settings.transcodeFPS)
    emptySince = now
  }

  /// Hears this track from now on, or none.
  public func setAudio(_ reader: TrackReader?, now: Instant) {
    audio = reader
    noteTracks(now)
  }

  /// Sees this track from now on, or none.
  public func setVideo(_ reader: TrackReader?, now: Instant) {
    video = reader
    pictures.restart()
    noteTracks(now)
  }

  /// The receiver needs a key frame: where pictures are encoded here it comes at once, else the publisher has to be asked.
  public func wantKeyFrame(_ output: (Output) -> Void) {
    if pictures.wantKeyFrame() { output(.keyFrameNeeded) }
  }

  /// Takes what came, and lets the media clock go on to `now`.
  public func advance(to now: Instant, _ output: (Output) -> Void) {
    audio?.poll(now: now) { event in
      switch event {
      case .frame(let frame, .opus, let time): sound.write(frame, at: time)
      case .ended: audio = nil
      case .frame, .muted, .keyFrameNeeded: break
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
    if carriesAudio { advanceSound(to: now, output) }
  }

  private func advanceSound(to now: Instant, _ output: (Output) -> Void) {
    // In steps of 10 ms.
    let step: Int64 = 480
    let target = AudioInput.position(of: now.microseconds - settings.soundDelay)
    var position = soundEnd ?? target / step * step
    // Nobody waits for what a stopped thread missed.
    if target - position > AudioInput.sampleRate { position = target / step * step }
    while position + step <= target {
      output(.sound(sound.sound.read(at: position, count: Int(step)), at: position))
      position += step
    }
    soundEnd = position
  }

  private func noteTracks(_ now: Instant) {
    if audio != nil || video != nil { emptySince = nil } else if emptySince == nil { emptySince = now }
  }
}
