import NIOCore
import RoomEngine

/// The messages of a socket as one buffer of frames.
///
/// In a crowd, most sockets send the same messages. The frames made for the last socket are used for the next one if its
/// messages are the same.
struct SignalBatch {
  /// Bytes above which the messages of a single socket are written one by one, because copying them costs more than it saves.
  static let mostBytesOfOne = 16 << 10
  /// Bytes above which messages are written one by one to any number of sockets. Bounds the memory of the copy.
  static let mostBytes = 1 << 20

  private var messages: [ByteBuffer] = []
  private var frames: ByteBuffer?

  /// Returns the frames of all messages in order, or nil if the messages must be written one by one.
  mutating func frames(of messages: [ByteBuffer]) -> ByteBuffer? {
    guard messages.count > 1 else { return nil }
    let isShared = messages == self.messages
    if isShared, let frames { return frames }
    self.messages = messages
    frames = Self.frames(of: messages, mostBytes: isShared ? Self.mostBytes : Self.mostBytesOfOne)
    return frames
  }

  private static func frames(of messages: [ByteBuffer], mostBytes: Int) -> ByteBuffer? {
    let framed = messages.map { SignalFrame.framed($0) }
    let bytes = framed.reduce(0) { $0 + $1.readableBytes }
    guard bytes <= mostBytes else { return nil }
    var frames = ByteBufferAllocator().buffer(capacity: bytes)
    for frame in framed { frames.writeImmutableBuffer(frame) }
    return frames
  }
}
