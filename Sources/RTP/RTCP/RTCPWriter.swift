/// Writes a compound RTCP packet into raw memory without allocation. A packet that does not fit is omitted entirely, and the
/// call that should have written it returns false.
public struct RTCPWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  private var lastStart = 0
  /// The number of bytes written so far, always a multiple of four.
  public private(set) var length = 0

  /// The packet type written last; 0 before the first.
  private(set) var lastType: UInt8 = 0
  /// The count or format field of the packet written last.
  var lastCount: UInt8 = 0 {
    didSet { buffer.baseAddress?.store8(0x80 | (lastCount & 0x1f), lastStart) }
  }

  /// Creates a writer that starts at the beginning of `buffer`.
  public init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// Returns a compound of at most `capacity` bytes as an array, for infrequent packets.
  public static func compound(capacity: Int = 1200, _ body: (inout RTCPWriter) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      var writer = RTCPWriter(UnsafeMutableRawBufferPointer(memory))
      body(&writer)
      count = writer.length
    }
  }

  /// The number of bytes left.
  public var remaining: Int { buffer.count - length }

  /// Starts a packet and returns a pointer to its body of `bodyLength` bytes, a multiple of four.
  mutating func begin(type: UInt8, format: UInt8, bodyLength: Int) -> UnsafeMutableRawPointer? {
    guard let base = buffer.baseAddress, remaining >= 4 + bodyLength, bodyLength <= 4 * 0xffff else { return nil }
    lastStart = length
    lastType = type
    lastCount = format
    base.store8(type, length + 1)
    base.store16(UInt16(truncatingIfNeeded: bodyLength / 4), length + 2)
    length += 4 + bodyLength
    return base + lastStart + 4
  }

  /// Extends the last packet by `count` bytes, a multiple of four, and returns a pointer to the new part.
  mutating func extend(by count: Int) -> UnsafeMutableRawPointer? {
    guard let base = buffer.baseAddress, remaining >= count else { return nil }
    let place = base + length
    length += count
    base.store16(UInt16(truncatingIfNeeded: (length - lastStart) / 4 - 1), lastStart + 2)
    return place
  }

  /// The unused part of the buffer, for code that writes its own packet and reports the length with `commit`.
  var free: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[length...]) }

  /// Adds a whole packet of `count` bytes that was written into `free`.
  mutating func commit(_ count: Int) {
    guard count > 0, count <= remaining else { return }
    lastStart = length
    lastType = 0
    length += count
  }
}
