import Foundation

/// The body of one HTTP response, chunked (RFC 9112 §7.1) or delimited by the end of the connection. Nothing is stored.
struct HTTPBody {
  private enum Part {
    case head
    /// The part of a chunk's hexadecimal length received so far.
    case size
    case data
    /// The line end after a chunk.
    case end
    /// Not chunked.
    case plain
  }

  private var part = Part.head
  private var line: [UInt8] = []
  /// Remaining bytes of the chunk.
  private var rest = 0

  /// Passes the body's bytes on.
  /// - Throws: the reason if the status is not 200 or the body has ended.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(ChunkScanner.Failure) -> Void
  ) throws(ChunkScanner.Failure) {
    var offset = 0
    while offset < bytes.count {
      switch part {
      case .plain:
        try body(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        return
      case .data:
        let count = min(rest, bytes.count - offset)
        try body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        offset += count
        rest -= count
        if rest == 0 { part = .end }
      case .head, .size, .end:
        line.append(bytes[offset])
        offset += 1
        if line.last == UInt8(ascii: "\n") { try readLine() }
        guard line.count < 16_384 else { throw ChunkScanner.Failure(reason: "an HTTP header line is too long") }
      }
    }
  }

  private mutating func readLine() throws(ChunkScanner.Failure) {
    switch part {
    case .head:
      guard line.suffix(4) == Array("\r\n\r\n".utf8)[...] else { return }
      let head = String(decoding: line, as: UTF8.self)
      let status = head.split(separator: "\r\n").first ?? ""
      guard status.split(separator: " ").dropFirst().first == "200" else {
        throw ChunkScanner.Failure(reason: "the server responded with status \(status)")
      }
      part = head.lowercased().contains("\r\ntransfer-encoding: chunked") ? .size : .plain
    case .size:
      let digits = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: ";") }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
        throw ChunkScanner.Failure(reason: "a chunk without a length")
      }
      guard size > 0 else { throw ChunkScanner.Failure(reason: "the response has ended") }
      rest = size
      part = .data
    case .end: part = .size
    case .data, .plain: break
    }
    line.removeAll(keepingCapacity: true)
  }
}
