import RoomRTMP

/// Messages queued for a file that may be slower than the broadcast.
///
/// Above the limit, pictures are dropped until the next key frame after space becomes available. Above twice the limit, audio
/// is dropped too. Headers are never lost: the newest of each kind waits for space.
struct RecordingBacklog {
  /// The number of dropped pictures.
  private(set) var droppedPictures = 0
  /// The number of dropped audio frames.
  private(set) var droppedSound = 0
  /// The size of the queued messages in bytes.
  private(set) var bytes = 0
  private let limit: Int
  private var messages: [MediaMessage] = []
  private var pending: [MediaMessage.Kind: MediaMessage] = [:]
  private var awaitsKeyFrame = false

  /// - Parameter limit: The limit in bytes.
  init(limit: Int) { self.limit = limit }

  mutating func push(_ message: MediaMessage) {
    switch message.kind {
    case .data: pushHeader(message)
    case .audio:
      if message.payload.withUnsafeBytes({ AudioTag(parsing: $0) })?.isSequenceHeader == true { return pushHeader(message) }
      guard bytes < 2 * limit else {
        droppedSound += 1
        return
      }
      append(pending.removeValue(forKey: .audio))
      append(message)
    case .video:
      guard let tag = message.payload.withUnsafeBytes({ VideoTag(parsing: $0) }) else { return }
      if tag.isSequenceHeader { return pushHeader(message) }
      guard bytes < limit, !awaitsKeyFrame || tag.isKeyFrame else {
        droppedPictures += 1
        awaitsKeyFrame = true
        return
      }
      awaitsKeyFrame = false
      append(pending.removeValue(forKey: .data))
      append(pending.removeValue(forKey: .video))
      append(message)
    }
  }

  /// Removes and returns all queued messages, in order.
  mutating func take() -> [MediaMessage] {
    defer {
      messages = []
      bytes = 0
    }
    return messages
  }

  private mutating func pushHeader(_ message: MediaMessage) {
    guard bytes >= limit else {
      pending[message.kind] = nil
      return append(message)
    }
    pending[message.kind] = message
    if message.kind == .video { awaitsKeyFrame = true }
  }

  private mutating func append(_ message: MediaMessage?) {
    guard let message else { return }
    messages.append(message)
    bytes += message.payload.count
  }
}
