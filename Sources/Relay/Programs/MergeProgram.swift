public import RoomCodecs
import RoomMixing
import RoomPush
public import RoomRTP

/// Combines many tracks into one video and one audio stream, for a merge job.
///
/// All inputs are synchronized on the media clock. The program lags it by the longest delay that any input needs
/// (``PlayoutDelay``). The program's output for a moment therefore does not depend on the instance: a program that takes over
/// continues with the very next sample. Frames lie on the clock's own grid and show the picture of each source that is nearest
/// to their moment.
///
/// The lag of an audio-only mix, which listeners hear live, changes gradually. A source that joins, leaves or is late causes
/// neither a gap nor a speed-up for the listeners. Sans-I/O. Not thread-safe; one owner at a time.
public final class MergeProgram: Program {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    /// Frames made.
    public var frames: UInt64 = 0
    /// Frames skipped because the machine did not keep up.
    public var skipped: UInt64 = 0
    /// Codec failures.
    public var failures: UInt64 = 0
  }

  /// The number of frames caught up after a stall. Any more are skipped.
  private static let mostBehind: Int64 = 6
  /// The number of frames that video waits for a decoder: fewer than are caught up, so that the wait leaves no gap.
  private static let mostAwaited: Int64 = 4
  private static let soundStep: Int64 = 480
  /// In an audio-only mix the lag grows by at most a quarter of the elapsed time, plus a leap that every player has buffered.
  /// The lag shrinks by a fiftieth of the elapsed time.
  private static let growth: Int64 = 4
  private static let leap: Int64 = 20_000
  private static let shrinkage: Int64 = 50
  /// How long the start waits for the first picture of every source, in µs.
  private static let videoStartTimeout: Int64 = 3_000_000
  /// How long audio waits for the video to start, in µs: less than ``AudioInput`` keeps.
  private static let audioHoldLimit: Int64 = 1_000_000
  /// How long the start waits for the first audio of a source, in µs: a silent microphone sends nothing.
  private static let audioStartTimeout: Int64 = 500_000

  /// How long the last picture of a removed input stays, in µs.
  private static let leavingTime: Int64 = 300_000

  /// Counters since the start.
  public private(set) var counters = Counters()
  /// The video settings; nil for audio only.
  public let picture: MixPicture?
  public private(set) var emptySince: Instant?
  /// The delay behind the media clock in µs.
  public private(set) var delay: Int64 = 100_000
  private var laggedAt: Instant?
  /// How much the lag may grow now, in µs.
  private var patience = MergeProgram.leap
  /// The current output frame rate in frames per second.
  public var fps: Int { min(rate?.fps ?? 0, uplink?.fps ?? 0) }
  /// The current target video bitrate in bps.
  public var bitrate: Int { uplink?.bitrate ?? 0 }

  private var inputs: [String: (input: MixInput, inbox: DecodedInbox)] = [:]
  private var delays: [ObjectIdentifier: PlayoutDelay] = [:]
  private let mixer = AudioMixer<String>()
  private var soundEnd: Int64?
  /// The participants that receive a mix without their own audio.
  private var listeners: [ObjectIdentifier: (Instant, [Int16], Int64) -> Void] = [:]

  private var compositor: Compositor<String>?
  private var encoder: H264Encoder?
  private var smaller: SmallerPicture?
  private var scene: MixScene
  private var nextScene: SceneChange?
  /// The video inputs that were removed. Their last pictures stay until the next scene, which usually follows at once.
  private var leaving: [String: Instant] = [:]
  private var rate: FrameRate?
  private var uplink: UplinkSteps?
  /// The media time of the last frame.
  private var lastFrame: MediaTime?
  private var keyFrameAfter: MediaTime?
  /// When the program was first ready to start.
  private var warmingSince: Instant?
  private var clocks = MixClocks([])
  /// The offset from the media clock to UNIX time in µs.
  private let wall: Int64
  /// Returns the CPU time used so far in µs.
  private let cpu: () -> Int64

  /// Creates a program without inputs.
  /// - Parameters:
  ///   - picture: The video settings; nil for audio only.
  ///   - wall: The offset from the media clock to UNIX time in µs, for clock overlays.
  ///   - cpu: Returns the CPU time used by the thread in µs.
  /// - Throws: ``CodecError`` if the picture size is unsupported or x264 rejects the settings.
  public init(
    picture: MixPicture?, scene: MixScene = .init(), now: Instant, wall: Int64 = 0, cpu: @escaping () -> Int64 = { 0 }
  ) throws(CodecError) {
    self.picture = picture
    self.scene = scene
    nextScene = SceneChange(scene: scene, since: now)
    self.wall = wall
    self.cpu = cpu
    emptySince = now
    guard let picture else { return }
    compositor = try Compositor(
      Composition(
        width: picture.width, height: picture.height, background: scene.background, placements: scene.placements,
        overlays: scene.overlays))
    encoder = try H264Encoder(
      Self.settings(picture, fps: picture.fps, bitrate: picture.bitrate), profile: picture.profile, speed: picture.speed)
    rate = FrameRate(picture.fps)
    uplink = UplinkSteps(bitrate: picture.bitrate, least: picture.leastBitrate, fps: picture.fps)
  }

  private static func settings(_ picture: MixPicture, fps: Int, bitrate: Int) -> VideoEncoderSettings {
    // The key frame interval in seconds stays the same at any frame rate.
    let interval = max(1, picture.keyFrameInterval * fps / picture.fps)
    return VideoEncoderSettings(
      width: picture.width, height: picture.height, fps: fps, bitrate: bitrate, keyFrameInterval: interval)
  }

  // MARK: What is mixed

  /// Sets the scene from the next frame and the gains from the next block of audio on. A scene with new sources waits until they
  /// have pictures, 1 s at most.
  public func setScene(_ scene: MixScene, now: Instant) {
    nextScene = SceneChange(scene: scene, since: nextScene?.since ?? now)
    for (id, input) in inputs where !input.input.isVideo { mixer.setGain(scene.gains[id] ?? 1, of: id) }
  }

  /// Adds an input, replacing one of the same name.
  /// - Parameter participant: The clock of the participant, whose tracks are kept in sync.
  public func setInput(_ id: String, _ inbox: DecodedInbox, isVideo: Bool, of participant: SharedClock, now: Instant) {
    let group = ObjectIdentifier(participant)
    let input = MixInput(isVideo: isVideo, group: group)
    let old = inputs.updateValue((input, inbox), forKey: id)
    leaving[id] = nil
    if let old, old.input.group != group { forget(old.input.group) }
    if delays[group] == nil { delays[group] = PlayoutDelay(initial: delay) }
    if !isVideo { mixer.add(id, input.sound, gain: (nextScene?.scene ?? scene).gains[id] ?? 1) }
    note(now)
  }

  /// Removes an input.
  public func removeInput(_ id: String, now: Instant) {
    guard let gone = inputs.removeValue(forKey: id) else { return }
    if gone.input.isVideo { leaving[id] = now } else { mixer.remove(id) }
    forget(gone.input.group)
    note(now)
  }

  private func forget(_ group: ObjectIdentifier) {
    if !inputs.values.contains(where: { $0.input.group == group }) { delays[group] = nil }
  }

  private func note(_ now: Instant) {
    let isEmpty = !inputs.values.contains { !$0.input.isOver }
    if !isEmpty { emptySince = nil } else if emptySince == nil { emptySince = now }
  }

  /// Produces a mix of all other participants' audio for one participant; nil stops it.
  public func setListener(_ participant: SharedClock, _ take: ((Instant, [Int16], Int64) -> Void)?) {
    listeners[ObjectIdentifier(participant)] = take
  }

  /// Produces pictures at half the width and height as well (``MixPicture/smaller``); nil stops them. The first is a key frame.
  public func setSmaller(_ take: ((Instant, EncodedPicture) -> Void)?) {
    smaller = take.flatMap { take in picture?.smaller.map { SmallerPicture($0, take) } }
  }

  /// Makes the next smaller picture a key frame.
  public func wantSmallerKeyFrame() { smaller?.wantsKeyFrame = true }

  /// Reports the connection's state; called once a second.
  public func uplinkReported(queued: Int, dropped: UInt64) { uplink?.uplinkReported(queued: queued, dropped: dropped) }

  public func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void) {
    keyFrameAfter = max(keyFrameAfter ?? .zero, moment ?? .zero)
  }

  // MARK: The clock

  public func advance(to now: Instant, _ output: (ProgramOutput) -> Void) {
    var hasEnded = false
    // The moment that all decoders have reached.
    var moment = now
    for (input, inbox) in inputs.values {
      guard var delay = delays[input.group] else { continue }
      if !input.isOver { moment = min(moment, inbox.reach(now)) }
      input.take(inbox.take(), &delay)
      delays[input.group] = delay
      if input.isOver { hasEnded = true }
    }
    if hasEnded { note(now) }
    lag(now)
    // Audio waits longer: continuing without a source would insert silence, whereas a picture only freezes.
    let shown = max(moment, now.advanced(microseconds: -2 * Self.mostAwaited * halfInterval))
    if picture != nil, soundEnd == nil {
      advancePictures(to: shown, now, output)
      // Audio and video start at the same moment; otherwise players and recordings start with audio only.
      guard lastFrame != nil || now - (warmingSince ?? now) >= Self.audioHoldLimit else { return }
      beginSound(at: AudioInput.position(of: lastFrame ?? made(at: moment)) / Self.soundStep * Self.soundStep)
    }
    advanceSound(to: moment, now, output)
    advancePictures(to: shown, now, output)
  }

  private func lag(_ now: Instant) {
    guard !delays.isEmpty else { return }
    for group in delays.keys { delays[group]?.advance(to: now) }
    guard let wanted = delays.values.lazy.map(\.microseconds).max() else { return }
    let elapsed = max(0, now - (laggedAt ?? now))
    laggedAt = now
    // A video mix's viewers buffer more than this, so its lag may grow at once without loss.
    guard picture == nil, soundEnd != nil else { return delay = wanted }
    patience = min(patience + elapsed / Self.growth, Self.leap)
    let next = min(max(wanted, delay - elapsed / Self.shrinkage), delay + patience)
    patience -= max(0, next - delay)
    delay = next
  }

  /// Mixing before the start only lets the mixer fade in the sources, so that a program that takes over continues at full
  /// volume.
  private func beginSound(at start: Int64) {
    for blocks in [Int64(2), 1] { mixer.advance(to: start - blocks * Self.soundStep, count: Int(Self.soundStep)) }
    soundEnd = start
  }

  private func advanceSound(to moment: Instant, _ now: Instant, _ output: (ProgramOutput) -> Void) {
    let step = Self.soundStep
    let target = AudioInput.position(of: made(at: moment))
    let start = target / step * step
    guard soundEnd != nil || isWarm(AudioInput.time(of: start), now) else { return }
    var position = soundEnd ?? start
    // Don't catch up on what a stalled thread missed.
    if target - position > AudioInput.sampleRate { position = target / step * step }
    while position + step <= target {
      mixer.advance(to: position, count: Int(step))
      output(.sound(mixer.mix(), at: position))
      for (group, take) in listeners {
        let own = inputs.filter { $0.value.input.group == group && !$0.value.input.isVideo }.keys
        take(now, mixer.mix(without: own), position)
      }
      position += step
    }
    soundEnd = position
  }

  private func advancePictures(to moment: Instant, _ now: Instant, _ output: (ProgramOutput) -> Void) {
    guard let picture else { return }
    while let time = nextFrame(made(at: moment).advanced(microseconds: -halfInterval), now) {
      let before = cpu()
      compose(at: time, picture, now: now, output)
      let isLate = made(at: now) - time > 5 * halfInterval
      rate?.made(isLate: isLate, busy: cpu() - before, now: now)
    }
  }

  /// Returns the media time that the program has reached at a moment.
  private func made(at moment: Instant) -> MediaTime { moment.mediaTime.advanced(microseconds: -delay) }

  /// Half a frame interval in µs: a picture that is later by at most this belongs to the frame.
  private var halfInterval: Int64 { 500_000 / Int64(max(1, fps)) }

  /// Returns whether every source is ready: viewers must not see the background or get silence because one anchor starts a
  /// moment later.
  private func isWarm(_ target: MediaTime, _ now: Instant) -> Bool {
    let since = warmingSince ?? now
    warmingSince = since
    let waited = now - since
    return inputs.values.allSatisfy { input, _ in
      input.isReady(for: target) || waited >= (input.isVideo ? Self.videoStartTimeout : Self.audioStartTimeout)
    }
  }

  /// Returns the media time of the next frame that is due.
  private func nextFrame(_ target: MediaTime, _ now: Instant) -> MediaTime? {
    let fps = Int64(max(1, self.fps))
    func time(_ number: Int64) -> MediaTime { MediaTime(ticks: number, rate: fps) }
    let newest = target.ticks(rate: fps)
    guard let lastFrame else {
      guard isWarm(time(newest), now) else { return nil }
      self.lastFrame = time(newest)
      return time(newest)
    }
    // A rounded time may lie just before its tick.
    var next = lastFrame.ticks(rate: fps) + 1
    while time(next) <= lastFrame { next += 1 }
    guard time(next) <= target else { return nil }
    if newest - next >= Self.mostBehind {
      counters.skipped += UInt64(newest - next)
      next = newest
    }
    self.lastFrame = time(next)
    return time(next)
  }

  private func show(_ next: MixScene, on compositor: Compositor<String>) {
    compositor.setPlacements(next.placements)
    compositor.setBackground(background: next.background, overlays: next.overlays)
    for source in Set(scene.placeholders.keys).union(next.placeholders.keys) {
      compositor.setPlaceholder(next.placeholders[source], of: source)
    }
    clocks = MixClocks(next.clocks)
    scene = next
    nextScene = nil
  }

  private func source(_ id: String) -> SceneChange.Source {
    guard let input = inputs[id]?.input else { return .absent }
    return input.isAwaited ? .empty : .ready
  }

  private func compose(at time: MediaTime, _ picture: MixPicture, now: Instant, _ output: (ProgramOutput) -> Void) {
    guard let compositor, let encoder else { return }
    if let next = nextScene, next.isDue(after: scene, now: now, source: source) { show(next.scene, on: compositor) }
    for (id, since) in leaving where now - since > Self.leavingTime || !scene.placements.contains(where: { $0.source == id }) {
      leaving[id] = nil
      compositor.setPicture(nil, of: id)
    }
    if let shown = clocks.overlays(at: (time.microseconds + wall) / 1000) { compositor.setOverlays(scene.overlays + shown) }
    for (id, input) in inputs where input.input.isVideo {
      switch input.input.picture(at: time.advanced(microseconds: halfInterval), now: now) {
      case .none: break
      case .picture(let frame): compositor.setPicture(frame, of: id)
      case .blank: compositor.setPicture(nil, of: id)
      }
    }
    let forced = keyFrameAfter.map { $0 - time < halfInterval } ?? false
    if forced { keyFrameAfter = nil }
    do throws(CodecError) {
      let settings = Self.settings(picture, fps: fps, bitrate: bitrate)
      if encoder.settings != settings { try encoder.reconfigure(settings) }
      counters.frames += 1
      let whole = compositor.compose(timestamp: time)
      if let encoded = try encoder.encode(whole, forceKeyFrame: forced) { output(.picture(encoded)) }
      try smaller?.encode(whole, settings, now: now)
    } catch {
      counters.failures += 1
    }
  }
}
