@testable import RoomHTTPServer

/// Feeds the size of a file in two bytes, and a `Range` header. A part has at least one byte, and all of them are in the file.
@Sendable func fuzzRange(_ bytes: UnsafeRawBufferPointer) {
  guard bytes.count >= 2 else { return }
  let size = Int64(bytes[0]) << 8 | Int64(bytes[1])
  let range = ByteRange(String(decoding: bytes.dropFirst(2), as: UTF8.self), size: size)
  guard case .part(let part) = range else { return }
  precondition(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size)
}
