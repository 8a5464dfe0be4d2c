import RTMP
import RTP

/// A message of a recording.
struct RecordedMessage {
  enum Content {
    case metadata, header, keyFrame, picture, sound
  }

  var content: Content
  var media: MediaMessage
  /// On the recording's timeline.
  var time: MediaTime
}

/// Says where a recording begins, and when each of its messages is.
///
/// - Times begin with 0 and do not wrap.
/// - It begins with a key frame. Sound from before it is kept where the pictures were announced later than it came; where they
///   were announced already, the recording begins in the middle of a broadcast, and the sound is left out.
/// - Sound alone is held back for a while, for a file's first bytes tell which tracks it has. Then the sound goes on alone.
/// - After each sequence header pictures begin with a key frame.
struct RecordingTimeline {
  /// Milliseconds for which sound waits for pictures at the beginning.
  static let patience: Int64 = 4000
  /// Bytes of it.
  static let mostHeld = 1 << 20

  /// Messages that were left out.
  private(set) var dropped = 0
  /// Whether the sequence header of pictures has come.
  var hasVideo: Bool { headers[.video] != nil }
  /// Whether the sequence header of sound has come.
  var hasAudio: Bool { headers[.audio] != nil }

  /// The newest of each kind; `data` for metadata.
  private var headers: [MediaMessage.Kind: MediaMessage] = [:]
  private var held: [RecordedMessage] = []
  private var heldBytes = 0
  private var soundCameFirst = false
  private var awaitsKeyFrame = true
  /// Where the recording begins; nil before it does.
  private var start: MediaTime?
  /// The newest message's timestamp, and its time since the first.
  private var clock: (stamp: UInt32, time: MediaTime)?

  /// Takes the broadcast's next message; gives what is recorded now, in order.
  mutating func take(_ message: MediaMessage) -> [RecordedMessage] {
    switch message.kind {
    case .data: return header(message, .metadata)
    case .video:
      guard let tag = message.payload.withUnsafeBytes({ VideoTag(parsing: $0) }), tag.track.id == 0 else { return drop() }
      if tag.isSequenceHeader {
        awaitsKeyFrame = true
        return header(message, .header)
      }
      guard tag.packetType == .codedFrames || tag.packetType == .codedFramesX, !tag.track.body.isEmpty else { return drop() }
      return picture(message, isKeyFrame: tag.isKeyFrame)
    case .audio:
      guard let tag = message.payload.withUnsafeBytes({ AudioTag(parsing: $0) }), tag.track.id == 0 else { return drop() }
      if tag.isSequenceHeader { return header(message, .header) }
      guard tag.packetType == .codedFrames, !tag.track.body.isEmpty else { return drop() }
      return sound(message)
    }
  }

  /// Nothing more comes: what is held back is all there is.
  mutating func finish() -> [RecordedMessage] { start == nil && !held.isEmpty ? begin() : [] }

  private mutating func header(_ message: MediaMessage, _ content: RecordedMessage.Content) -> [RecordedMessage] {
    headers[message.kind] = message
    guard let start else { return [] }
    return [RecordedMessage(content: content, media: message, time: max(.zero, (clock?.time ?? .zero).relative(to: start)))]
  }

  private mutating func picture(_ message: MediaMessage, isKeyFrame: Bool) -> [RecordedMessage] {
    guard hasVideo, isKeyFrame || !awaitsKeyFrame && start != nil else { return drop() }
    awaitsKeyFrame = false
    let picture = RecordedMessage(content: isKeyFrame ? .keyFrame : .picture, media: message, time: time(of: message))
    guard start == nil else { return placed([picture]) }
    if !soundCameFirst {
      dropped += held.count
      held = []
    }
    held.append(picture)
    return begin()
  }

  private mutating func sound(_ message: MediaMessage) -> [RecordedMessage] {
    guard hasAudio else { return drop() }
    let sound = RecordedMessage(content: .sound, media: message, time: time(of: message))
    guard start == nil else { return placed([sound]) }
    if held.isEmpty { soundCameFirst = !hasVideo }
    held.append(sound)
    heldBytes += message.payload.count
    let since = held.first?.time ?? sound.time
    return sound.time.milliseconds(since: since) >= Self.patience || heldBytes > Self.mostHeld ? begin() : []
  }

  private mutating func begin() -> [RecordedMessage] {
    defer { held = [] }
    start = held.first?.time
    let first = [MediaMessage.Kind.data, .video, .audio].compactMap { kind in
      headers[kind].map { RecordedMessage(content: kind == .data ? .metadata : .header, media: $0, time: .zero) }
    }
    return first + placed(held)
  }

  private mutating func placed(_ messages: [RecordedMessage]) -> [RecordedMessage] {
    guard let start else { return [] }
    var placed: [RecordedMessage] = []
    for var message in messages {
      message.time = message.time.relative(to: start)
      if message.time >= .zero { placed.append(message) } else { dropped += 1 }
    }
    return placed
  }

  private mutating func time(of message: MediaMessage) -> MediaTime {
    let time =
      clock.map { $0.time.advanced(milliseconds: Int64(Int32(bitPattern: message.timestamp &- $0.stamp))) } ?? .zero
    clock = (message.timestamp, time)
    return time
  }

  private mutating func drop() -> [RecordedMessage] {
    dropped += 1
    return []
  }
}
