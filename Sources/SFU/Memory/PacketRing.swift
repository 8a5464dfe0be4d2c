import Glibc
import RTP

/// What the ring keeps of a packet beside its payload: enough to write the packet again for any subscriber.
struct StoredPacket: BitwiseCopyable {
  /// The publisher's sequence number, extended; 0 is never used, so that zeroed memory holds no packet.
  var sequence: Int64
  var timestamp: UInt32
  var length: UInt16
  /// Index into the track's codecs.
  var codec: UInt8
  var flags: Flags
  /// The audio level byte of RFC 6464, where the publisher sent one.
  var audioLevel: UInt8

  struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt8
    static let marker = Flags(rawValue: 1)
    /// A decoder can start at this packet.
    static let keyFrame = Flags(rawValue: 2)
    static let hasAudioLevel = Flags(rawValue: 4)
  }
}

/// The last packets of a track in plain text: forwarding reads from it, and so does every answer to a NACK.
///
/// A trivial handle: the owner calls `free`. Pages are backed by the kernel only once packets came that far.
struct PacketRing: BitwiseCopyable {
  /// One slot: the stored packet's description and its payload.
  static let stride = 1536
  static let payloadOffset = 32
  static let payloadLimit = stride - payloadOffset

  private let base: UnsafeMutableRawPointer
  let capacity: Int

  /// `capacity` is a power of two. Nil when memory is short.
  init?(capacity: Int) {
    let bytes = capacity &* Self.stride
    // A mapping of its own: zeroed, lazily backed, and given back whole.
    guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED else {
      return nil
    }
    base = memory
    self.capacity = capacity
  }

  func free() { munmap(base, bytes) }

  var bytes: Int { capacity &* Self.stride }

  /// Where the packet of this number lies, or would lie.
  @inline(__always) func place(_ sequence: Int64) -> UnsafeMutablePointer<StoredPacket> {
    let index = Int(truncatingIfNeeded: sequence) & (capacity &- 1)
    return (base + index &* Self.stride).assumingMemoryBound(to: StoredPacket.self)
  }

  /// The packet of this number, if it is still there.
  @inline(__always) subscript(sequence: Int64) -> UnsafeMutablePointer<StoredPacket>? {
    let slot = place(sequence)
    return slot.pointee.sequence == sequence ? slot : nil
  }

  @inline(__always) static func payload(_ slot: UnsafeMutablePointer<StoredPacket>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(slot) + payloadOffset
  }

  /// Writes RTP padding (RFC 3550 §5.1) behind the payload, 1 … 255 bytes that end within the slot. The packet itself stays as
  /// long as it is: who sends it chooses whether the padding goes with it.
  static func pad(_ slot: UnsafeMutablePointer<StoredPacket>, by count: Int) {
    let end = payload(slot) + Int(slot.pointee.length)
    memset(end, 0, count)
    end.store8(UInt8(truncatingIfNeeded: count), count &- 1)
  }
}
