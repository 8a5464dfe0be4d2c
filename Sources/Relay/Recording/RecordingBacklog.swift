import RTMP

/// Messages on their way to a file that may be slower than the broadcast.
///
/// Beyond its limit pictures are left out, up to the next key frame that comes when there is room again; beyond twice the limit sound too.
/// Headers are never lost: of each kind the newest waits until there is room.
struct RecordingBacklog {
  /// Pictures that were left out.
  private(set) var droppedPictures = 0
  /// Frames of sound that were left out.
  private(set) var droppedSound = 0
  /// Of what waits.
  private(set) var bytes = 0
  private let limit: Int
  private var messages: [MediaMessage] = []
  private var pending: [MediaMessage.Kind: MediaMessage] = [:]
  private var awaitsKeyFrame = false

  /// - Parameter limit: bytes.
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

  /// All that waits, in order.
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
