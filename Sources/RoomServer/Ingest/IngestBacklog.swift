import RoomRTMP

/// A bounded queue of messages from a connection to the thread that converts them. A stream that arrives faster than it is
/// converted loses pictures up to a key frame, and finally sound.
struct IngestBacklog {
  /// The maximum size in bytes: about 4 s of a stream of 16 Mb/s.
  static let bytes = 8 << 20
  static let messages = 4096

  private var waiting: [MediaMessage] = []
  private var first = 0
  private var waitingBytes = 0
  private var needsKeyFrame = false
  /// Messages dropped because the queue was full.
  private(set) var dropped = 0

  var isEmpty: Bool { first == waiting.count }

  mutating func append(_ message: MediaMessage) {
    guard hasRoom(for: message) else {
      dropped += 1
      return
    }
    waiting.append(message)
    waitingBytes += message.payload.count
  }

  private mutating func hasRoom(for message: MediaMessage) -> Bool {
    let isFull = waiting.count - first >= Self.messages || waitingBytes + message.payload.count > Self.bytes
    guard message.kind == .video, let tag = message.payload.withUnsafeBytes({ VideoTag(parsing: $0) }), !tag.isSequenceHeader
    else { return !isFull }
    if isFull { needsKeyFrame = true } else if tag.isKeyFrame { needsKeyFrame = false }
    return !needsKeyFrame
  }

  mutating func next() -> MediaMessage? {
    guard first < waiting.count else { return nil }
    let message = waiting[first]
    first += 1
    waitingBytes -= message.payload.count
    if first == waiting.count || first >= 256 {
      waiting.removeFirst(first)
      first = 0
    }
    return message
  }

  mutating func removeAll() {
    waiting = []
    first = 0
    waitingBytes = 0
  }
}
