import NIOCore

/// Messages as WebSocket frames (RFC 6455 §5.2): text, or binary ones of another protocol. A server's frames are not masked, so all receivers share one.
package enum SignalFrame {
  /// Returns a message with its frame header before the reader index, where ``framed(_:)`` finds it.
  package static func message(_ content: some Collection<UInt8>, isBinary: Bool = false) -> ByteBuffer {
    let size = headerSize(content.count)
    var buffer = ByteBufferAllocator().buffer(capacity: size + content.count)
    writeHeader(content.count, isBinary ? finalBinary : finalText, into: &buffer)
    buffer.writeBytes(content)
    buffer.moveReaderIndex(forwardBy: size)
    return buffer
  }

  /// Returns the frame of a message. The frame shares the memory of a message from ``message(_:)``; any other is text, and
  /// copied.
  package static func framed(_ message: ByteBuffer) -> ByteBuffer {
    let count = message.readableBytes
    let size = headerSize(count)
    var header = ByteBuffer()
    if message.readerIndex >= size {
      var frame = message
      frame.moveReaderIndex(to: message.readerIndex - size)
      if isHeader(frame.readableBytesView.prefix(size), of: count) { return frame }
    }
    header.reserveCapacity(size + count)
    writeHeader(count, finalText, into: &header)
    header.writeImmutableBuffer(message)
    return header
  }

  /// Returns the size of the frame header for a payload of this size, both in bytes.
  private static func headerSize(_ count: Int) -> Int { count < 126 ? 2 : count <= UInt16.max ? 4 : 10 }

  private static let finalText: UInt8 = 0x81
  private static let finalBinary: UInt8 = 0x82

  private static func writeHeader(_ count: Int, _ first: UInt8, into buffer: inout ByteBuffer) {
    switch headerSize(count) {
    case 2: buffer.writeMultipleIntegers(first, UInt8(truncatingIfNeeded: count))
    case 4: buffer.writeMultipleIntegers(first, 126 as UInt8, UInt16(truncatingIfNeeded: count))
    default: buffer.writeMultipleIntegers(first, 127 as UInt8, UInt64(count))
    }
  }

  private static func isHeader(_ bytes: ByteBufferView, of count: Int) -> Bool {
    guard bytes.first == finalText || bytes.first == finalBinary else { return false }
    let rest = bytes.dropFirst()
    let length = rest.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    switch bytes.count {
    case 2: return rest.first == UInt8(truncatingIfNeeded: count)
    case 4: return rest.first == 126 && length == count
    default: return rest.first == 127 && length == count
    }
  }
}
