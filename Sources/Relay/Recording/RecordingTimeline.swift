import RoomRTMP
import RoomRTP

/// A message with its time in a recording.
struct RecordedMessage {
  enum Content {
    case metadata, header, keyFrame, picture, sound
  }

  var content: Content
  var media: MediaMessage
  /// The time on the recording's timeline.
  var time: MediaTime
}

/// Determines where a recording starts and the time of each message.
///
/// - Times start at 0 and do not wrap.
/// - The recording starts with a key frame. Audio before it is kept if it arrived before the video's sequence header. Otherwise
///   the recording starts in the middle of a broadcast, and that audio is dropped.
/// - Audio alone is held back for a while, because a file's first bytes determine its tracks. After that it is recorded without
///   video.
/// - After each sequence header, video restarts with a key frame.
struct RecordingTimeline {
  /// How long audio waits for video at the start, in ms.
  static let patience: Int64 = 4000
  /// The maximum size of the audio held back, in bytes.
  static let mostHeld = 1 << 20

  /// The number of dropped messages.
  private(set) var dropped = 0
  /// Whether the video sequence header has arrived.
  var hasVideo: Bool { headers[.video] != nil }
  /// Whether the audio sequence header has arrived.
  var hasAudio: Bool { headers[.audio] != nil }

  /// The newest header of each kind; `data` for metadata.
  private var headers: [MediaMessage.Kind: MediaMessage] = [:]
  private var held: [RecordedMessage] = []
  private var heldBytes = 0
  private var soundCameFirst = false
  private var awaitsKeyFrame = true
  /// The start of the recording; nil before it starts.
  private var start: MediaTime?
  /// The newest message's timestamp and its time since the first message.
  private var clock: (stamp: UInt32, time: MediaTime)?

  /// Accepts the broadcast's next message. Returns the messages to record now, in order.
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

  /// Returns the messages held back. Call it after the last message.
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
