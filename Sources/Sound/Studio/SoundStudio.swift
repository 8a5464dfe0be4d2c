public import RoomCodecs
public import RoomRTP

/// Mixes named inputs, applies effects and returns the frames for an encoder, with no device, thread or clock of its own.
///
/// ```swift
/// let studio = SoundStudio(SoundSettings(effects: [.reverb(.medium)], earReturn: .processed))
/// studio.push(captured, to: "microphone")
/// while let frame = try studio.next(at: now) { source.push(frame.sound) }
/// ```
///
/// Every input has a queue between its clock and the studio's (``ClockMatchedPlayout``). The order of processing: the voice's
/// echo cancellation and noise suppression, each channel's gain, the mix, the effects, the channels without effects, the
/// output's gain, a limiter. Once warm, only the returned frames are allocated, and what conversions, files and a limited peak
/// need. One owner at a time.
public final class SoundStudio {
  /// A frame of the studio.
  public struct Frame: Sendable, Equatable {
    /// The sound for the encoder: stereo at 48 kHz. The sound's time is the studio's.
    public var sound: AudioFrame
    /// The sound for the speaker's own ear; nil without an ear return.
    public var ear: AudioFrame?
    /// The level of `sound`.
    public var level: SoundLevel
  }

  /// What happened since the start.
  public struct Counters: Sendable, Hashable {
    /// The number of frames returned.
    public var frames: UInt64 = 0
    /// The number of frames left out because ``SoundStudio/next(at:)`` was called too late.
    public var late: UInt64 = 0
    /// The number of pushes refused: too many channels, or a format that cannot be converted.
    public var refused: UInt64 = 0
  }

  /// The most channels. Sound for further ones is refused.
  public static let mostChannels = 16
  /// The longest time that is caught up, in µs. Frames before it are left out.
  public static let catchUp: Int64 = 200_000

  /// What the studio does. A new value takes effect in the next frame.
  public var settings: SoundSettings
  /// What happened since the start.
  public private(set) var counters = Counters()

  private let frameCount: Int
  private let queue: ClockMatchedPlayout.Settings
  private var channels: [String: StudioChannel] = [:]
  private let chain = EffectChain()
  private var voice: VoiceProcessing?
  private var (limiter, earLimiter) = (SoftLimiter(), SoftLimiter())
  private var (mix, plain, dry): ([Float], [Float], [Float])
  private var gain: Float
  /// The gains of both kinds of ear return.
  private var earGains: (dry: Float, processed: Float) = (0, 0)
  /// The time of the next frame; nil before the first.
  private var due: MediaTime?

  /// Creates a studio.
  /// - Parameters:
  ///   - settings: what it does.
  ///   - milliseconds: the duration of a frame: 10 or 20.
  ///   - queue: the bounds of each channel's queue.
  public init(
    _ settings: SoundSettings = .init(), milliseconds: Int = 20, queue: ClockMatchedPlayout.Settings = .init(target: 20)
  ) {
    self.settings = settings
    self.queue = queue
    frameCount = milliseconds <= 10 ? 480 : 960
    mix = [Float](repeating: 0, count: frameCount * 2)
    (plain, dry) = (mix, mix)
    gain = Gain.factor(settings.gain)
  }

  /// Adds the next samples of a channel, in any format and any number. The first ones create the channel.
  ///
  /// A queue at its limit skips to its target and counts it in ``queueCounters(of:)``.
  public func push(_ frame: AudioFrame, to name: String) {
    do throws(CodecError) {
      guard let channel = channel(name) else {
        counters.refused += 1
        return
      }
      try channel.push(frame)
    } catch {
      counters.refused += 1
    }
  }

  /// Plays files as a channel, in place of what is pushed to it.
  /// - Returns: false if there are too many channels.
  @discardableResult
  public func play(_ player: FilePlayer, as name: String) -> Bool {
    guard let channel = channel(name) else { return false }
    channel.player = player
    return true
  }

  /// Removes a channel and what it has queued. Mute it first to avoid a click.
  public func remove(_ name: String) { channels[name] = nil }

  /// Tells the echo cancellation what the device is about to play: stereo at 48 kHz, any number of samples.
  public func played(_ samples: [Int16]) { voice?.played(samples) }

  /// Returns the level of a channel's last frame, after its gain; nil without such a channel.
  public func level(of channel: String) -> SoundLevel? { channels[channel]?.level }

  /// Returns the counters of a channel's queue; nil without such a channel.
  public func queueCounters(of channel: String) -> ClockMatchedPlayout.Counters? { channels[channel]?.counters }

  /// Returns the next frame if it is due. Call it until it returns nil. The first call starts the studio's clock.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if the voice's settings cannot be applied. The next call continues
  ///   without them until they are replaced.
  public func next(at now: MediaTime) throws(CodecError) -> Frame? {
    let duration = Int64(frameCount) * 1_000_000 / 48_000
    var time = due ?? now
    guard now >= time else { return nil }
    if now - time > Self.catchUp {
      let missed = (now - time) / duration
      counters.late += UInt64(missed)
      time = time.advanced(microseconds: missed * duration)
    }
    try applyVoice()
    due = time.advanced(microseconds: duration)
    counters.frames += 1
    return produce(at: time)
  }

  private func produce(at time: MediaTime) -> Frame {
    let settings = settings
    chain.replace(with: settings.effects)
    SoundBlock.clear(&mix)
    SoundBlock.clear(&plain)
    for (name, channel) in channels {
      let setting = settings.channels[name] ?? .init()
      channel.advance(to: target(of: setting), voice: name == settings.voiceChannel ? voice : nil)
      if setting.hasEffects { channel.add(to: &mix) } else { channel.add(to: &plain) }
    }
    SoundBlock.copy(mix, to: &dry)
    SoundBlock.add(plain, to: &dry)
    chain.process(&mix)
    SoundBlock.add(plain, to: &mix)
    let target = Gain.factor(settings.gain)
    SoundBlock.scale(&mix, from: gain, to: target)
    gain = target
    let sound = AudioFrame(samples: limiter.process(mix), format: .stereo48k, timestamp: time)
    return Frame(sound: sound, ear: ear(settings, at: time), level: SoundLevel(mix))
  }

  private func ear(_ settings: SoundSettings, at time: MediaTime) -> AudioFrame? {
    let gain = Gain.factor(settings.earGain)
    let target = (
      dry: settings.earReturn == .dry ? gain : 0, processed: settings.earReturn == .processed ? gain : 0
    )
    guard settings.earReturn != .off || earGains != (0, 0) else { return nil }
    // Each glides to its target, so that a change does not click.
    SoundBlock.scale(&dry, from: earGains.dry, to: target.dry)
    SoundBlock.copy(mix, to: &plain)
    SoundBlock.scale(&plain, from: earGains.processed, to: target.processed)
    SoundBlock.add(plain, to: &dry)
    earGains = target
    return AudioFrame(samples: earLimiter.process(dry), format: .stereo48k, timestamp: time)
  }

  private func channel(_ name: String) -> StudioChannel? {
    if let channel = channels[name] { return channel }
    guard channels.count < Self.mostChannels else { return nil }
    let gain = target(of: settings.channels[name] ?? .init())
    let channel = StudioChannel(queue, count: frameCount, gain: gain)
    channels[name] = channel
    return channel
  }

  private func target(of channel: SoundSettings.Channel) -> Float { channel.isMuted ? 0 : Gain.factor(channel.gain) }

  private func applyVoice() throws(CodecError) {
    guard voice?.settings != settings.voice else { return }
    voice = nil
    guard let wanted = settings.voice else { return }
    settings.voice = nil
    voice = try VoiceProcessing(wanted)
    settings.voice = wanted
  }
}
