import RoomRTP

/// The timeline of a program: makes the timestamps of its pictures and its sound, of 33 bits at 90 kHz, one time that does not wrap
/// and does not go back.
///
/// A source that loops its file, or an encoder that restarts its clock, makes its timestamps jump. A jump begins a new stretch, which
/// follows the media before at once. Pictures and sound reach the jump one after the other; each joins the stretch that the other
/// began as soon as its own timestamps are nearer to the new clock than to the old one. Both therefore stay in step.
///
/// A jump is more than 3 s forward, unless the other kind of media continues there, or more than 0.5 s back. Behind a
/// discontinuity_indicator (ISO/IEC 13818-1 §2.4.3.5), a jump is more than 1 s forward, or any step back.
struct ProgramTimeline {
  enum Kind: CaseIterable { case video, audio }

  /// The steps in ticks that are no jump, and those behind an announced discontinuity.
  private static let steps: ClosedRange<Int64> = -45_000...270_000
  private static let announcedSteps: ClosedRange<Int64> = 0...90_000
  /// The distance in ticks between the two kinds of media at most: 10 s.
  private static let widest: Int64 = 900_000
  /// The shortest step between two pictures in ticks: 1 ms, the resolution of RTMP.
  private static let shortest: Int64 = 90
  /// The step in ticks that is assumed of a first picture: 40 ms. A longer one than a second is a gap, not a frame's duration.
  private static let usual: Int64 = 3600
  private static let longestFrame: Int64 = 90_000

  /// A part of the stream with one clock.
  private struct Stretch {
    var number: Int
    /// The ticks that are added to its timestamps.
    var offset: Int64
    /// The stretch's newest timestamp.
    var newest: Int64
  }

  private struct Track {
    var stretch: Int
    var offset: Int64
    var last: Int64
    /// Timestamps for which an announced discontinuity still counts: the one of the PES packet that is received, and the next.
    var announced = 0
  }

  private var current: Stretch?
  private var tracks: [Kind: Track] = [:]
  /// The end of each kind's media in ticks of the timeline.
  private var ends: [Kind: Int64] = [:]
  private var lastPicture: Int64?
  private var lastSound: MediaTime?
  /// The number of jumps.
  private(set) var jumps = 0

  /// Notes that the sender announced another time base.
  mutating func announceDiscontinuity() {
    for kind in Kind.allCases { tracks[kind]?.announced = 2 }
  }

  // MARK: Pictures

  /// Returns the times of a picture.
  mutating func times(presentation: Int64, decoding: Int64) -> (decoding: MediaTime, presentation: MediaTime) {
    var ticks = ticks(of: decoding, .video)
    // An encoder's times may go back by less than a jump.
    if let lastPicture, ticks < lastPicture &+ Self.shortest { ticks = lastPicture &+ Self.shortest }
    let step = lastPicture.map { ticks &- $0 } ?? Self.usual
    lastPicture = ticks
    ends[.video] = ticks &+ (step > Self.longestFrame ? Self.usual : step)
    let delay = Self.distance(from: decoding, to: presentation)
    let shown = ticks &+ (delay.magnitude <= UInt64(Self.widest) ? delay : 0)
    return (MediaTime(ticks: ticks, rate: 90_000), MediaTime(ticks: shown, rate: 90_000))
  }

  // MARK: Sound

  /// Returns the time of a timestamp of sound.
  mutating func soundTime(of stamp: Int64) -> MediaTime { MediaTime(ticks: ticks(of: stamp, .audio), rate: 90_000) }

  /// Notes a frame of sound. Returns false for one that is not behind the last, such as sound that overlaps at a jump.
  mutating func admits(soundAt time: MediaTime, lasting duration: Int64) -> Bool {
    if let lastSound, time <= lastSound { return false }
    lastSound = time
    ends[.audio] = time.advanced(microseconds: duration).ticks(rate: 90_000)
    return true
  }

  // MARK: Stretches

  private mutating func ticks(of stamp: Int64, _ kind: Kind) -> Int64 {
    guard let current else {
      self.current = Stretch(number: 0, offset: 0, newest: stamp)
      tracks[kind] = Track(stretch: 0, offset: 0, last: stamp)
      return stamp
    }
    let other = Self.distance(from: current.newest, to: stamp)
    guard var track = tracks[kind] else {
      return other.magnitude <= UInt64(Self.widest) ? join(current, at: other, kind) : begin(stamp, kind)
    }
    let step = Self.distance(from: track.last, to: stamp)
    let isAnnounced = track.announced > 0
    track.announced = max(0, track.announced - 1)
    tracks[kind] = track
    let isNext = (isAnnounced ? Self.announcedSteps : Self.steps).contains(step)
    let isNear = other.magnitude <= UInt64(Self.widest)
    if track.stretch == current.number {
      // Media of one kind that pauses is no jump.
      let pauses = !isAnnounced && step > 0 && other.magnitude <= UInt64(Self.steps.upperBound)
      guard isNext || pauses else { return begin(stamp, kind) }
    } else if isNear, other.magnitude < step.magnitude || !isNext {
      return join(current, at: other, kind)
    } else if !isNext {
      return begin(stamp, kind)
    }
    track.last = track.last &+ step
    tracks[kind] = track
    if track.stretch == current.number { self.current?.newest = max(current.newest, track.last) }
    return track.last &+ track.offset
  }

  /// Begins a stretch that follows the media before.
  private mutating func begin(_ stamp: Int64, _ kind: Kind) -> Int64 {
    let start = ends.values.max() ?? stamp
    let stretch = Stretch(number: (current?.number ?? 0) &+ 1, offset: start &- stamp, newest: stamp)
    current = stretch
    tracks[kind] = Track(stretch: stretch.number, offset: stretch.offset, last: stamp)
    jumps &+= 1
    return start
  }

  /// Moves a kind of media to the current stretch. `distance` is that to its newest timestamp.
  private mutating func join(_ stretch: Stretch, at distance: Int64, _ kind: Kind) -> Int64 {
    var stretch = stretch
    let stamp = stretch.newest &+ distance
    // Sound that overlaps is dropped. Pictures are not, because others refer to them: the stretch moves instead.
    if kind == .video, let end = ends[.video], stamp &+ stretch.offset < end {
      stretch.offset = end &- stamp
      for other in Kind.allCases where tracks[other]?.stretch == stretch.number { tracks[other]?.offset = stretch.offset }
    }
    stretch.newest = max(stretch.newest, stamp)
    current = stretch
    tracks[kind] = Track(stretch: stretch.number, offset: stretch.offset, last: stamp)
    return stamp &+ stretch.offset
  }

  /// Returns the ticks from one timestamp, of any length, to another of 33 bits.
  private static func distance(from a: Int64, to b: Int64) -> Int64 {
    let step = (b &- a) & 0x1_ffff_ffff
    return step > 0xffff_ffff ? step &- 0x2_0000_0000 : step
  }
}
