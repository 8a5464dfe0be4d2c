import Glibc
import RoomRTP

/// What the ring stores of a packet besides its payload: enough to write the packet again for any subscriber.
struct StoredPacket: BitwiseCopyable {
  /// The publisher's extended sequence number. 0 is never used, so that zeroed memory contains no packet.
  var sequence: Int64
  var timestamp: UInt32
  var length: UInt16
  /// Index into the track's codecs.
  var codec: UInt8
  var flags: Flags
  /// The audio level byte of RFC 6464, if the publisher sent one.
  var audioLevel: UInt8
  /// Of VP8 in a simulcast or with temporal layers, as the publisher sent them: the picture id and TL0PICIDX, and their offsets
  /// in the payload, 0 if absent. With a dependency descriptor, `picture` is the frame number.
  var pictureAt: UInt8 = 0
  var level0At: UInt8 = 0
  var level0: UInt8 = 0
  var picture: UInt16 = 0
  /// The offset of the packet's own payload: of audio with redundancy behind RED's headers and the copies, of video behind the
  /// dependency descriptor.
  var primaryAt: UInt16 = 0
  /// The number of copies of earlier packets before the payload.
  var copies: UInt8 = 0
  /// The distances in packets of the newest and the oldest copy: more than 1 and 2 if empty packets are between.
  var copyReach = SIMD2<UInt8>()
  /// Of VP8 with temporal layers.
  var temporal = TemporalPlace()
  /// The length of the dependency descriptor; 0 if there is none.
  var descriptorLength: UInt8 = 0

  struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt8
    static let marker = Flags(rawValue: 1)
    /// A decoder can start at this packet.
    static let keyFrame = Flags(rawValue: 2)
    static let hasAudioLevel = Flags(rawValue: 4)
    /// The packet has a picture id, a TL0PICIDX or a frame number that must be set for each subscription.
    static let hasPicture = Flags(rawValue: 8)
    /// The picture id has 15 bits.
    static let hasLongPicture = Flags(rawValue: 16)
    /// The slot has a dependency descriptor.
    static let hasDescriptor = Flags(rawValue: 32)
  }

  /// Returns the picture id in the stream with this limit.
  @inline(__always) func picture(_ limit: TemporalLimit) -> UInt16 {
    limit == .all ? picture : temporal.pictures[limit.index]
  }
}

/// The last packets of a track in plain text. Forwarding and all answers to NACKs read from it.
///
/// A trivial handle: the owner calls `free`. The kernel allocates pages only when packets reach them.
struct PacketRing: BitwiseCopyable {
  /// One slot: the stored packet's description and its payload.
  static let stride = 1536
  static let payloadOffset = 48
  static let payloadLimit = stride - payloadOffset

  private let base: UnsafeMutableRawPointer
  let capacity: Int

  /// `capacity` is a power of two. Returns nil if there is not enough memory.
  init?(capacity: Int) {
    let bytes = capacity &* Self.stride
    // A separate mapping is zeroed, allocated lazily, and returned as a whole.
    guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED else {
      return nil
    }
    base = memory
    self.capacity = capacity
  }

  func free() { munmap(base, bytes) }

  var bytes: Int { capacity &* Self.stride }

  /// Returns the slot for the packet of this number, whether or not the packet is in it.
  @inline(__always) func place(_ sequence: Int64) -> UnsafeMutablePointer<StoredPacket> {
    let index = Int(truncatingIfNeeded: sequence) & (capacity &- 1)
    return (base + index &* Self.stride).assumingMemoryBound(to: StoredPacket.self)
  }

  /// The packet of this number, if it is still in the ring.
  @inline(__always) subscript(sequence: Int64) -> UnsafeMutablePointer<StoredPacket>? {
    let slot = place(sequence)
    return slot.pointee.sequence == sequence ? slot : nil
  }

  /// Stores a dependency descriptor, with a frame number that replaces its own, before the payload. Call it between the
  /// description and the payload. Returns false if there is no room for both.
  static func setDescriptor(
    _ slot: UnsafeMutablePointer<StoredPacket>, _ descriptor: UnsafeRawBufferPointer, frame: UInt16
  ) -> Bool {
    // The two bytes before a payload are free for a retransmission's original sequence number.
    let payloadAt = descriptor.count &+ 2
    guard let source = descriptor.baseAddress, descriptor.count <= DependencyDescriptor.maximumLength,
      payloadAt &+ Int(slot.pointee.length) <= payloadLimit
    else {
      return false
    }
    (UnsafeMutableRawPointer(slot) + payloadOffset).copyMemory(from: source, byteCount: descriptor.count)
    slot.pointee.descriptorLength = UInt8(truncatingIfNeeded: descriptor.count)
    slot.pointee.primaryAt = UInt16(truncatingIfNeeded: payloadAt)
    slot.pointee.picture = frame
    slot.pointee.flags.formUnion([.hasDescriptor, .hasPicture])
    return true
  }

  /// The dependency descriptor of a packet with `hasDescriptor`.
  @inline(__always) static func descriptor(_ slot: UnsafeMutablePointer<StoredPacket>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(slot) + payloadOffset, count: Int(slot.pointee.descriptorLength))
  }

  /// The packet's own payload, without what is before it.
  @inline(__always) static func payload(_ slot: UnsafeMutablePointer<StoredPacket>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(slot) + payloadOffset + Int(slot.pointee.primaryAt)
  }

  /// Writes the picture id and TL0PICIDX, or the frame number, of a packet with `hasPicture`, with these offsets. They stay until
  /// the next call, so each send must be preceded by one.
  @inline(__always) static func setPicture(_ slot: UnsafeMutablePointer<StoredPacket>, _ offsets: StreamOffsets) {
    if slot.pointee.flags.contains(.hasDescriptor) {
      return DependencyDescriptor.setFrameNumber(
        slot.pointee.picture &+ offsets.picture, in: UnsafeMutableRawPointer(slot) + payloadOffset)
    }
    let payload = payload(slot)
    if slot.pointee.pictureAt > 0 {
      let picture = slot.pointee.picture(offsets.limit) &+ offsets.picture
      if slot.pointee.flags.contains(.hasLongPicture) {
        payload.store16(picture | 0x8000, Int(slot.pointee.pictureAt))
      } else {
        payload.store8(UInt8(truncatingIfNeeded: picture & 0x7F), Int(slot.pointee.pictureAt))
      }
    }
    if slot.pointee.level0At > 0 { payload.store8(slot.pointee.level0 &+ offsets.level0, Int(slot.pointee.level0At)) }
  }

  /// Returns whether the payload and this padding end within the slot.
  static func canPad(_ slot: UnsafeMutablePointer<StoredPacket>, by count: Int) -> Bool {
    Int(slot.pointee.primaryAt) &+ Int(slot.pointee.length) &+ count <= payloadLimit
  }

  /// Writes RTP padding (RFC 3550 §5.1) behind the payload: 1…255 bytes for which `canPad` is true. The packet's length does not
  /// change: the sender decides whether to include the padding.
  static func pad(_ slot: UnsafeMutablePointer<StoredPacket>, by count: Int) {
    let end = payload(slot) + Int(slot.pointee.length)
    memset(end, 0, count)
    end.store8(UInt8(truncatingIfNeeded: count), count &- 1)
  }
}
