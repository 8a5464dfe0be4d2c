/// The messages within an aggregate message (RTMP 1.0 §7.1.6), each laid out as an FLV tag with its length behind it: a
/// sequence.
public struct AggregateMessage: Sequence {
  private let message: RTMPMessage

  /// Nil where the message is no aggregate.
  public init?(_ message: RTMPMessage) {
    guard message.type == .aggregate else { return nil }
    self.message = message
  }

  public func makeIterator() -> Iterator { Iterator(message) }

  /// Gives one message after the other, and ends where the rest is too short for what it announces. An aggregate within an
  /// aggregate is left out.
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
          // The length of the part, repeated: left out by some at the end.
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
        // The aggregate's own timestamp stands for that of its first part.
        let shift = self.shift ?? message.timestamp &- part.message.timestamp
        self.shift = shift
        part.message.timestamp &+= shift
        if part.message.type != .aggregate { return part.message }
      }
      return nil
    }
  }
}
