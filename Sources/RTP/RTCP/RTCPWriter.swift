/// Writes a compound RTCP packet into raw memory without allocation. A packet that finds no room is left out whole, and the call
/// that should have written it answers false.
public struct RTCPWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  private var lastStart = 0
  /// Bytes written so far, always a multiple of four.
  public private(set) var length = 0

  /// The packet type written last; 0 before the first.
  private(set) var lastType: UInt8 = 0
  /// The count or format field of the packet written last.
  var lastCount: UInt8 = 0 {
    didSet { buffer.baseAddress?.store8(0x80 | (lastCount & 0x1f), lastStart) }
  }

  /// Writes from the start of `buffer` on.
  public init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// A compound of at most `capacity` bytes as an array, for what is rare.
  public static func compound(capacity: Int = 1200, _ body: (inout RTCPWriter) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      var writer = RTCPWriter(UnsafeMutableRawBufferPointer(memory))
      body(&writer)
      count = writer.length
    }
  }

  /// Bytes that are left.
  public var remaining: Int { buffer.count - length }

  /// Begins a packet and gives the place of its body, `bodyLength` bytes, a multiple of four.
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

  /// Makes the last packet `count` bytes longer, a multiple of four, and gives the place of the new part.
  mutating func extend(by count: Int) -> UnsafeMutableRawPointer? {
    guard let base = buffer.baseAddress, remaining >= count else { return nil }
    let place = base + length
    length += count
    base.store16(UInt16(truncatingIfNeeded: (length - lastStart) / 4 - 1), lastStart + 2)
    return place
  }

  /// The free part, for what writes its packet itself and tells its length by `commit`.
  var free: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[length...]) }

  /// Takes over a whole packet of `count` bytes that was written into `free`.
  mutating func commit(_ count: Int) {
    guard count > 0, count <= remaining else { return }
    lastStart = length
    lastType = 0
    length += count
  }
}
