/// A sequence of the messages within an aggregate message (RTMP 1.0 §7.1.6). Each has the layout of an FLV tag, followed by its
/// length.
public struct AggregateMessage: Sequence {
  private let message: RTMPMessage

  /// Returns nil if the message is not an aggregate.
  public init?(_ message: RTMPMessage) {
    guard message.type == .aggregate else { return nil }
    self.message = message
  }

  public func makeIterator() -> Iterator { Iterator(message) }

  /// Returns one message after another. Ends if the rest is shorter than its announced length. Skips an aggregate within an
  /// aggregate.
  public struct Iterator: IteratorProtocol {
    private let message: RTMPMessage
    private var position = 0
    private var shift: UInt32?

    init(_ message: RTMPMessage) { self.message = message }

    public mutating func next() -> RTMPMessage? {
      while position < message.payload.count {
        let part: (message: RTMPMessage, length: Int)? = message.payload.withUnsafeBytes { payload in
          var reader = ByteReader(payload.part(from: position))
          guard let header = FLVTagHeader(&reader), let body = reader.bytes(header.length) else { return nil }
          // The repeated length of the part; some senders omit the last one.
          _ = reader.uint32()
          return (
            RTMPMessage(type: header.type, stream: message.stream, timestamp: header.timestamp, payload: Array(body)),
            reader.position
          )
        }
        guard var part else {
          position = message.payload.count
          return nil
        }
        position += part.length
        // The aggregate's timestamp replaces that of its first part.
        let shift = self.shift ?? message.timestamp &- part.message.timestamp
        self.shift = shift
        part.message.timestamp &+= shift
        if part.message.type != .aggregate { return part.message }
      }
      return nil
    }
  }
}
