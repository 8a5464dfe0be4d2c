import NIOCore
import Rooms

/// The messages of a socket as one buffer of frames.
///
/// Most sockets of a crowd have the same messages to send: the frames of the last socket serve the next one, if they are the same.
struct SignalBatch {
  /// Bytes above which messages are written one by one, because copying them costs more than it saves.
  static let mostBytes = 16 << 10

  private var messages: [ByteBuffer] = []
  private var frames = ByteBuffer()

  /// The frames of all messages in order, or nil if they are written one by one.
  mutating func frames(of messages: [ByteBuffer]) -> ByteBuffer? {
    guard messages.count > 1 else { return nil }
    if messages == self.messages { return frames }
    let framed = messages.map { SignalFrame.framed($0) }
    let bytes = framed.reduce(0) { $0 + $1.readableBytes }
    guard bytes <= Self.mostBytes else { return nil }
    frames = ByteBufferAllocator().buffer(capacity: bytes)
    for frame in framed { frames.writeImmutableBuffer(frame) }
    self.messages = messages
    return frames
  }
}
