import RoomRTMP
import RoomRTP

/// Decides when each frame of a player's source leaves, and keeps the frames that are read ahead.
///
/// Frames leave with the time at which they are due, so that pauses and seeks are gaps in the room's media, as those of a camera that was
/// covered. Pictures and sound wait in a queue each: files interleave them by up to a second.
struct PlayerClock {
  /// The media time in milliseconds that is read ahead of each kind.
  static let ahead: Int64 = 500
  /// The bytes and frames that wait at most.
  static let limits: (bytes: Int, frames: Int) = (8 << 20, 4096)
  /// The time in milliseconds by which one kind may leave ahead of the other one.
  static let apart: Int64 = 40
  /// The delay in µs above which playing continues later instead of catching up: the source was too slow.
  static let patience: Int64 = 300_000

  private struct Frame {
    var message: MediaMessage
    /// Milliseconds on a timeline that continues over loops and seeks.
    var media: Int64
  }

  /// A part of the timeline without a seek.
  private struct Segment {
    var start: Int64
    /// The position in milliseconds in the source.
    var position: Int64
  }

  private var pictures: [Frame] = []
  private var sounds: [Frame] = []
  private var bytes = 0
  /// Empty until the source is open.
  private var kinds: Set<MediaMessage.Kind> = []
  private var isLive = false
  private var segments = [Segment(start: 0, position: 0)]
  /// The end of the frames that were read.
  private var end: Int64 = 0
  /// The media time of the last frame of each kind that was read since the last seek.
  private var read: [MediaMessage.Kind: Int64] = [:]
  /// The seek whose frames are awaited.
  private var awaited: Int?
  /// Whether they are those of a loop, which follow what was read.
  private var repeats = false
  private var hasEnded = false
  /// The media time that is due at an instant; nil while nothing plays.
  private var anchor: (media: Int64, at: Instant)?
  /// The start of the times of frames that leave.
  private var start: Instant?
  /// Whether a picture is shown although the player is paused.
  private var showsPicture = false

  private(set) var isPaused: Bool
  /// The position in milliseconds while nothing plays.
  private var held: Int64 = 0
  /// The start of the part of the timeline that plays.
  private var entered: Int64 = 0

  init(isPaused: Bool) { self.isPaused = isPaused }

  // MARK: The source

  /// The source is open.
  mutating func opened(hasVideo: Bool, hasAudio: Bool, isLive: Bool = false) {
    kinds = Set((hasVideo ? [.video] : []) + (hasAudio ? [.audio] : []))
    self.isLive = isLive
    showsPicture = isPaused
  }

  /// The frames that follow begin at a position in seconds. Ignores a seek that was replaced by another one.
  mutating func moved(_ number: Int, to seconds: Double) -> Bool {
    guard awaited == number || awaited == nil && number == 0 && end == 0 else { return false }
    awaited = nil
    hasEnded = false
    segments.append(Segment(start: end, position: Int64(seconds * 1000)))
    if !repeats { (held, entered) = (Int64(seconds * 1000), end) }
    if segments.count > 8 { segments.removeFirst() }
    return true
  }

  /// Adds a frame that was read.
  mutating func append(_ message: MediaMessage) {
    guard awaited == nil, let segment = segments.last else { return }
    let media = segment.start + max(0, Int64(message.timestamp) - segment.position)
    switch message.kind {
    case .video: pictures.append(Frame(message: message, media: media))
    case .audio: sounds.append(Frame(message: message, media: media))
    case .data: return
    }
    bytes += message.payload.count
    read[message.kind] = media
    end = max(end, media + 20)
  }

  /// The source has no further frames.
  mutating func ended() { hasEnded = true }

  /// Whether more is to be read.
  var wantsMore: Bool {
    if awaited != nil || kinds.isEmpty { return true }
    guard bytes < Self.limits.bytes, pictures.count + sounds.count < Self.limits.frames else { return false }
    return kinds.contains { kind in
      let queue = queue(of: kind)
      guard let first = queue.first, let last = queue.last else { return true }
      return last.media - first.media < Self.ahead
    }
  }

  /// Whether everything was read and has left.
  var isOver: Bool { hasEnded && awaited == nil && pictures.isEmpty && sounds.isEmpty }

  // MARK: Control

  mutating func pause(at now: Instant) {
    guard !isPaused else { return }
    held = position(at: now)
    isPaused = true
    anchor = nil
  }

  mutating func resume() {
    isPaused = false
    showsPicture = false
  }

  /// Drops what was read, and awaits the frames of a seek.
  mutating func seek(_ number: Int, to seconds: Double) {
    (pictures, sounds, bytes, read) = ([], [], 0, [:])
    (awaited, anchor, hasEnded, repeats) = (number, nil, false, false)
    held = Int64(seconds * 1000)
    showsPicture = isPaused
  }

  /// Awaits the frames that follow the last one of the source.
  mutating func loop(_ number: Int) {
    (awaited, hasEnded, repeats) = (number, false, true)
  }

  /// The position in milliseconds.
  func position(at now: Instant) -> Int64 {
    guard let media = media(at: now) else { return held }
    let segment = segment(of: media)
    return segment.position + max(0, min(media, end) - segment.start)
  }

  /// Returns whether the source has begun again since the last call.
  mutating func hasLooped(at now: Instant) -> Bool {
    guard let media = media(at: now) else { return false }
    defer { entered = segment(of: media).start }
    return segment(of: media).start != entered
  }

  private func media(at now: Instant) -> Int64? { anchor.map { $0.media + max(0, now - $0.at) / 1000 } }

  private func segment(of media: Int64) -> Segment { segments.last { $0.start <= media } ?? segments[0] }

  // MARK: Leaving

  /// Takes the frames that are due, with the times at which they are.
  mutating func due(at now: Instant) -> [MediaMessage] {
    if isPaused { return showsPicture ? picture(at: now) : [] }
    if anchor == nil, !begin(at: now) { return [] }
    var messages: [MediaMessage] = []
    while let frame = ready, var anchor {
      var time = anchor.at.advanced(microseconds: (frame.media - anchor.media) * 1000)
      if now - time > Self.patience {
        (anchor, time) = ((frame.media, now), now)
        self.anchor = anchor
      }
      guard time <= now else { break }
      messages.append(take(at: time))
    }
    return messages
  }

  /// When the next frame is due; nil if none is waiting.
  var wake: Instant? {
    guard !isPaused, let anchor, let frame = ready else { return nil }
    return anchor.at.advanced(microseconds: (frame.media - anchor.media) * 1000)
  }

  /// Begins with the first frame, once those of all kinds have been read.
  private mutating func begin(at now: Instant) -> Bool {
    guard let frame = next, isComplete(with: frame) else { return false }
    anchor = (frame.media, now)
    return true
  }

  /// The next frame, if it need not wait for the other kind.
  private var ready: Frame? { next.flatMap { isLive || isComplete(with: $0) ? $0 : nil } }

  /// Returns whether the frames that belong together with the next one were read, so that a kind that is read late does not fall behind
  /// the other one.
  private func isComplete(with frame: Frame) -> Bool {
    let hasAll = kinds.allSatisfy { kind in
      !queue(of: kind).isEmpty || read[kind].map { frame.media <= $0 + Self.apart } ?? false
    }
    return hasAll || hasEnded || end - frame.media > 2 * Self.ahead || !wantsMore
  }

  private func queue(of kind: MediaMessage.Kind) -> [Frame] { kind == .video ? pictures : sounds }

  private var isPictureNext: Bool {
    guard let picture = pictures.first, let sound = sounds.first else { return sounds.isEmpty }
    return picture.media <= sound.media
  }

  private var next: Frame? { isPictureNext ? pictures.first : sounds.first }

  private mutating func take(at time: Instant) -> MediaMessage {
    let frame = isPictureNext ? pictures.removeFirst() : sounds.removeFirst()
    bytes -= frame.message.payload.count
    return leaving(frame, at: time)
  }

  private mutating func leaving(_ frame: Frame, at time: Instant) -> MediaMessage {
    let start = start ?? time
    self.start = start
    return MediaMessage(
      frame.message.kind, timestamp: UInt32(truncatingIfNeeded: (time - start) / 1000), payload: frame.message.payload)
  }

  /// Takes the first picture after a seek, which is shown while the player is paused.
  private mutating func picture(at now: Instant) -> [MediaMessage] {
    guard
      let index = pictures.firstIndex(where: { frame in
        frame.message.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isKeyFrame ?? false }
      })
    else { return [] }
    showsPicture = false
    let frames = pictures[...index]
    pictures.removeFirst(frames.count)
    bytes -= frames.reduce(0) { $0 + $1.message.payload.count }
    return frames.map { leaving($0, at: now) }
  }
}
