/// The part of a representation that a GET requests (RFC 9110 §14). A request for several ranges is answered with the whole, as
/// the RFC allows.
package enum ByteRange: Hashable, Sendable {
  case whole
  /// At least one byte.
  case part(Range<Int64>)
  /// The range has no byte of the representation: 416.
  case unsatisfiable

  /// Reads `Range` and `If-Range` of a request.
  /// - Parameters:
  ///   - size: the bytes of the representation; not negative.
  ///   - entityTag: its strong `ETag`, with quotes.
  ///   - modified: its `Last-Modified`.
  package init(of request: HTTPRequest, size: Int64, entityTag: String, modified: String) {
    guard !request.isHead, let range = request.header("range") else {
      self = .whole
      return
    }
    if let condition = request.header("if-range")?.trimming(), condition != entityTag, condition != modified {
      self = .whole
      return
    }
    self.init(range, size: size)
  }

  /// Parses the value of a `Range` header. An invalid one, or another unit than bytes, means the whole (§14.2).
  init(_ header: String, size: Int64) {
    self = .whole
    let parts = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].trimming().lowercased() == "bytes" else { return }
    let ends = parts[1].trimming().split(separator: "-", omittingEmptySubsequences: false).map { $0.trimming() }
    guard ends.count == 2 else { return }
    switch (Self.number(ends[0]), Self.number(ends[1])) {
    case (nil, let length?) where ends[0].isEmpty:
      let first = max(0, size - length)
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (let first?, nil) where ends[1].isEmpty:
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (let first?, let last?) where first <= last:
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    default: break
    }
  }

  /// Returns a number of ASCII digits. One that is too large is larger than any representation.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? .max
  }
}
