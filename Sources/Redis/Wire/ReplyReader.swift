/// Reads replies of RESP2 from a stream of bytes.
///
/// The reader bounds what a server can cost: the bytes of a reply, its depth, and the number of its elements. The reader keeps
/// its position, so that a reply in many parts is not read again from its start.
struct ReplyReader: Sendable {
  /// Why a stream is not RESP2.
  enum Failure: Error, Hashable {
    case unknownType(UInt8)
    case malformedNumber
    case tooLong
    case tooManyElements
    case tooDeep
  }

  /// Limits of one reply.
  struct Limits: Sendable {
    /// Bytes of a string, and of all unread bytes.
    var bytes = 64 << 20
    /// Elements of a reply, those of nested arrays included.
    var elements = 1 << 20
    var depth = 8
    /// Bytes of a line.
    var line = 64 << 10
  }

  private let limits: Limits
  private var buffer: [UInt8] = []
  private var start = 0
  /// Arrays that are not complete, the outermost first.
  private var open: [(elements: [RedisValue], missing: Int)] = []
  /// Elements announced in the current reply.
  private var announced = 0
  /// The length of the string whose bytes follow; nil if a line follows.
  private var length: Int?
  /// The position up to which no line end was found.
  private var searched = 0

  init(_ limits: Limits = .init()) { self.limits = limits }

  /// Appends received bytes.
  mutating func append(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      buffer.removeFirst(start)
      (searched, start) = (max(0, searched - start), 0)
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next reply; nil if its end has not arrived.
  mutating func next() throws(Failure) -> RedisValue? {
    while let value = try nextPart() {
      if let reply = close(with: value) {
        announced = 0
        return reply
      }
    }
    guard buffer.count - start <= limits.bytes else { throw .tooLong }
    return nil
  }

  /// Adds a value to the innermost open array. Returns the reply if that completes it.
  private mutating func close(with value: RedisValue) -> RedisValue? {
    var value = value
    while var last = open.popLast() {
      last.elements.append(value)
      last.missing -= 1
      guard last.missing == 0 else {
        open.append(last)
        return nil
      }
      value = .array(last.elements)
    }
    return value
  }

  /// Returns the next value that is complete by itself: no array with elements. Nil if its end has not arrived.
  private mutating func nextPart() throws(Failure) -> RedisValue? {
    while true {
      if let length {
        guard buffer.count - start >= length + 2 else { return nil }
        let bytes = Array(buffer[start..<start + length])
        start += length + 2
        self.length = nil
        return .bytes(bytes)
      }
      guard let line = try nextLine() else { return nil }
      guard let type = line.first else { throw .unknownType(0) }
      let rest = line.dropFirst()
      switch type {
      case UInt8(ascii: "+"): return .status(String(decoding: rest, as: UTF8.self))
      case UInt8(ascii: "-"): return .error(String(decoding: rest, as: UTF8.self))
      case UInt8(ascii: ":"): return .integer(try Self.number(rest))
      case UInt8(ascii: "$"):
        let count = try Self.number(rest)
        if count < 0 { return .null }
        guard count <= limits.bytes else { throw .tooLong }
        length = Int(count)
      case UInt8(ascii: "*"):
        let count = try Self.number(rest)
        if count < 0 { return .null }
        if count == 0 { return .array([]) }
        guard count <= limits.elements - announced else { throw .tooManyElements }
        guard open.count < limits.depth else { throw .tooDeep }
        announced += Int(count)
        open.append(([], Int(count)))
      default: throw .unknownType(type)
      }
    }
  }

  /// Returns the next line without its end; nil if that has not arrived.
  private mutating func nextLine() throws(Failure) -> ArraySlice<UInt8>? {
    guard let end = buffer[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = buffer.count
      guard buffer.count - start <= limits.line else { throw .tooLong }
      return nil
    }
    var line = buffer[start..<end]
    guard line.count <= limits.line else { throw .tooLong }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = end + 1
    searched = start
    return line
  }

  private static func number(_ digits: ArraySlice<UInt8>) throws(Failure) -> Int64 {
    guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw .malformedNumber }
    return number
  }
}
