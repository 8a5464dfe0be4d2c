public import Codecs
import Mixing
public import RTP

/// Many tracks as one picture and one sound: what a merge job sends.
///
/// All inputs meet on the media clock. The program lags it by the longest delay that any of them needs (``PlayoutDelay``), so that what
/// it makes of a moment is the same whichever program makes it: one that takes over goes on with the very next sample. Frames lie on the
/// clock's own grid, and show the picture of each source that is nearest to their moment. The lag of sound alone, which people hear as it
/// is made, changes gently: who comes late, comes or goes is no gap and no rush for all who listen. Sans-I/O; one owner at a time.
public final class MergeProgram: Program {
  /// Since the start.
  public struct Counters: Sendable, Hashable {
    /// Frames made.
    public var frames: UInt64 = 0
    /// Frames left out because the machine did not keep up.
    public var skipped: UInt64 = 0
    /// Codec failures.
    public var failures: UInt64 = 0
  }

  /// Frames that are made up for after a stall; what is more is left out.
  private static let mostBehind: Int64 = 6
  /// Frames that pictures wait for a decoder: fewer than are made up for, so that the wait leaves no hole.
  private static let mostAwaited: Int64 = 4
  private static let soundStep: Int64 = 480
  /// The lag of sound alone grows by a quarter of the time that passes at most, and so much at once, which every player has in store;
  /// and it shrinks by a fiftieth.
  private static let growth: Int64 = 4
  private static let leap: Int64 = 20_000
  private static let shrinkage: Int64 = 50
  /// Microseconds that the beginning waits for the first picture of every source.
  private static let longestWarmUp: Int64 = 3_000_000
  /// And that sound waits for that: less than ``AudioInput`` keeps.
  private static let longestSilence: Int64 = 1_000_000
  /// And for its first sound: a microphone that says nothing sends nothing.
  private static let longestListening: Int64 = 500_000

  /// Since the start.
  public private(set) var counters = Counters()
  /// As given; nil for sound alone.
  public let picture: MixPicture?
  public private(set) var emptySince: Instant?
  /// Microseconds that the program lags the media clock by.
  public private(set) var delay: Int64 = 100_000
  private var laggedAt: Instant?
  /// Microseconds that the lag may grow by now.
  private var patience = MergeProgram.leap
  /// Frames a second that are made now.
  public var fps: Int { min(rate?.fps ?? 0, uplink?.fps ?? 0) }
  /// Bits a second of pictures that are asked for now.
  public var bitrate: Int { uplink?.bitrate ?? 0 }

  private var inputs: [String: (input: MixInput, inbox: DecodedInbox)] = [:]
  private var delays: [ObjectIdentifier: PlayoutDelay] = [:]
  private let mixer = AudioMixer<String>()
  private var soundEnd: Int64?
  /// Whose own sound is left out of a mix of their own.
  private var listeners: [ObjectIdentifier: (Instant, [Int16], Int64) -> Void] = [:]

  private var compositor: Compositor<String>?
  private var encoder: H264Encoder?
  private var scene: MixScene
  private var nextScene: MixScene?
  private var rate: FrameRate?
  private var uplink: UplinkSteps?
  /// The media time of the last frame.
  private var lastFrame: MediaTime?
  private var keyFrameAfter: MediaTime?
  /// When it first wanted to begin.
  private var warmingSince: Instant?
  private var clocks = MixClocks([])
  /// From the media clock to UNIX time, microseconds.
  private let wall: Int64
  /// Microseconds of CPU so far.
  private let cpu: () -> Int64

  /// - Parameters:
  ///   - picture: nil for sound alone.
  ///   - wall: microseconds from the media clock to UNIX time, for clocks in the picture.
  ///   - cpu: microseconds of CPU that the thread has used.
  /// - Throws: ``CodecError`` where no picture has that size, or x264 refuses the settings.
  public init(
    picture: MixPicture?, scene: MixScene = .init(), now: Instant, wall: Int64 = 0, cpu: @escaping () -> Int64 = { 0 }
  ) throws(CodecError) {
    self.picture = picture
    self.scene = scene
    nextScene = scene
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
    // As many seconds between key frames, whatever the rate.
    let interval = max(1, picture.keyFrameInterval * fps / picture.fps)
    return VideoEncoderSettings(
      width: picture.width, height: picture.height, fps: fps, bitrate: bitrate, keyFrameInterval: interval)
  }

  // MARK: What is mixed

  /// The next frame shows this, and the next block of sound is as loud.
  public func setScene(_ scene: MixScene) {
    nextScene = scene
    for (id, input) in inputs where !input.input.isVideo { mixer.setGain(scene.gains[id] ?? 1, of: id) }
  }

  /// Has an input from now on, in the place of one of that name.
  /// - Parameter participant: all of whose tracks are heard and seen together.
  public func setInput(_ id: String, _ inbox: DecodedInbox, isVideo: Bool, of participant: SharedClock, now: Instant) {
    let group = ObjectIdentifier(participant)
    let input = MixInput(isVideo: isVideo, group: group)
    let old = inputs.updateValue((input, inbox), forKey: id)
    if let old, old.input.group != group { forget(old.input.group) }
    if delays[group] == nil { delays[group] = PlayoutDelay(initial: delay) }
    if !isVideo { mixer.add(id, input.sound, gain: (nextScene ?? scene).gains[id] ?? 1) }
    note(now)
  }

  /// Has an input no more.
  public func removeInput(_ id: String, now: Instant) {
    guard let gone = inputs.removeValue(forKey: id) else { return }
    if gone.input.isVideo { compositor?.setPicture(nil, of: id) } else { mixer.remove(id) }
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

  /// Makes a mix of everybody else's sound for one participant; nil for none.
  public func setListener(_ participant: SharedClock, _ take: ((Instant, [Int16], Int64) -> Void)?) {
    listeners[ObjectIdentifier(participant)] = take
  }

  /// Once a second: how the way out fares.
  public func heard(queued: Int, dropped: UInt64) { uplink?.heard(queued: queued, dropped: dropped) }

  public func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void) {
    keyFrameAfter = max(keyFrameAfter ?? .zero, moment ?? .zero)
  }

  // MARK: The clock

  public func advance(to now: Instant, _ output: (ProgramOutput) -> Void) {
    var hasEnded = false
    // Up to where all decoders have come.
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
    // Sound waits longer: where it goes on without its source there is silence, but a picture only stands still.
    let shown = max(moment, now.advanced(microseconds: -2 * Self.mostAwaited * halfInterval))
    if picture != nil, soundEnd == nil {
      advancePictures(to: shown, now, output)
      // Both begin at one moment, or players and recordings have sound without a picture at first.
      guard lastFrame != nil || now - (warmingSince ?? now) >= Self.longestSilence else { return }
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
    // Pictures have viewers who lie behind by more than this, and miss nothing where it grows at once.
    guard picture == nil, soundEnd != nil else { return delay = wanted }
    patience = min(patience + elapsed / Self.growth, Self.leap)
    let next = min(max(wanted, delay - elapsed / Self.shrinkage), delay + patience)
    patience -= max(0, next - delay)
    delay = next
  }

  /// What is before the beginning only lets the mixer fade the sources in: a program that takes over continues at full loudness.
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
    // Nobody waits for what a stopped thread missed.
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

  /// The media time that the program has come to at a moment.
  private func made(at moment: Instant) -> MediaTime { moment.mediaTime.advanced(microseconds: -delay) }

  /// Microseconds of half a frame: a picture of up to so much later belongs to it.
  private var halfInterval: Int64 { 500_000 / Int64(max(1, fps)) }

  /// Whether every source is there: viewers must not see the background, or hear nothing, because one anchor is a moment later.
  private func isWarm(_ target: MediaTime, _ now: Instant) -> Bool {
    let since = warmingSince ?? now
    warmingSince = since
    let waited = now - since
    return inputs.values.allSatisfy { input, _ in
      input.isReady(for: target) || waited >= (input.isVideo ? Self.longestWarmUp : Self.longestListening)
    }
  }

  /// The moment of the next frame that is due.
  private func nextFrame(_ target: MediaTime, _ now: Instant) -> MediaTime? {
    let fps = Int64(max(1, self.fps))
    func time(_ number: Int64) -> MediaTime { MediaTime(ticks: number, rate: fps) }
    let newest = target.ticks(rate: fps)
    guard let lastFrame else {
      guard isWarm(time(newest), now) else { return nil }
      self.lastFrame = time(newest)
      return time(newest)
    }
    // A rounded time may lie just before its number.
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
    compositor.setSurroundings(background: next.background, overlays: next.overlays)
    for source in Set(scene.placeholders.keys).union(next.placeholders.keys) {
      compositor.setPlaceholder(next.placeholders[source], of: source)
    }
    clocks = MixClocks(next.clocks)
    scene = next
    nextScene = nil
  }

  private func compose(at time: MediaTime, _ picture: MixPicture, now: Instant, _ output: (ProgramOutput) -> Void) {
    guard let compositor, let encoder else { return }
    if let nextScene { show(nextScene, on: compositor) }
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
      if let encoded = try encoder.encode(compositor.compose(timestamp: time), forceKeyFrame: forced) {
        output(.picture(encoded))
      }
    } catch {
      counters.failures += 1
    }
  }
}
