import RoomCZlib

extension HTTPRequest {
  /// Whether the client accepts a body compressed with gzip (RFC 9110 §12.5.3). A weight of 0 refuses it, and `*` stands for all
  /// codings that the header does not name.
  package var acceptsGzip: Bool {
    var others = false
    for header in headers where header.name == "accept-encoding" {
      for element in header.value.split(separator: ",") {
        let parts = element.split(separator: ";").map { $0.trimming().lowercased() }
        guard let name = parts.first else { continue }
        let isAccepted = parts.dropFirst().allSatisfy { !$0.hasPrefix("q=") || (Double($0.dropFirst(2)) ?? 0) > 0 }
        if name == "gzip" || name == "x-gzip" { return isAccepted }
        if name == "*" { others = isAccepted }
      }
    }
    return others
  }
}

/// The format `gzip` (RFC 1952).
package enum Gzip {
  /// Compresses as well as zlib can, which suits bytes that are compressed once and sent often. Returns nil without memory.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window; 16 more select the gzip format.
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    guard let length = UInt32(exactly: bytes.count) else { return nil }
    let bound = Int(deflateBound(&stream, UInt(length)))
    var input = bytes
    return input.withUnsafeMutableBufferPointer { source in
      let output = [UInt8](unsafeUninitializedCapacity: bound) { target, count in
        stream.next_in = source.baseAddress
        stream.avail_in = length
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(clamping: target.count)
        // The bound is large enough for one call.
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
      return output.isEmpty ? nil : output
    }
  }

  /// Decompresses one member of the gzip format. Returns nil if it is malformed, or longer than `longest` bytes.
  package static func decompress(_ bytes: [UInt8], longest: Int) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard let length = UInt32(exactly: bytes.count), let room = UInt32(exactly: longest),
      inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var isComplete = false
    let output = input.withUnsafeMutableBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: longest) { target, count in
        stream.next_in = source.baseAddress
        stream.avail_in = length
        stream.next_out = target.baseAddress
        stream.avail_out = room
        isComplete = inflate(&stream, Z_FINISH) == Z_STREAM_END
        count = longest - Int(stream.avail_out)
      }
    }
    return isComplete ? output : nil
  }
}
