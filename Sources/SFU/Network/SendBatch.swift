import CLinux
import Glibc

/// Where a peer's datagrams go: the kernel's form of its address, kept so that no packet has to write it anew.
struct Destination: BitwiseCopyable {
  /// Big enough for `sockaddr_in6`.
  var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  var length: UInt32 = 0
}

/// The outgoing slab: datagrams are written in place and leave by one `sendmmsg`.
struct SendBatch: ~Copyable {
  static let capacity = 64
  /// A whole datagram: the longest payload of the ring, header, extensions and tag.
  static let slotBytes = 1664

  /// What a datagram is to the worker when the socket's buffer is full.
  struct Tag: BitwiseCopyable {
    /// The subscription whose video this is; −1 for what is never dropped first: audio, RTCP, STUN, DTLS.
    var subscription: Int32
  }

  /// What became of a flush.
  struct Outcome {
    var packets = 0
    var bytes = 0
    /// Video datagrams dropped because the socket's buffer was full; their tags are at the front of `dropped`.
    var full = 0
    var failed = 0
  }

  private let slab: UnsafeMutableRawPointer
  private let datagrams: UnsafeMutablePointer<linux_datagram>
  private let tags: UnsafeMutablePointer<Tag>
  /// Subscriptions that lost a packet in the last flush.
  let dropped: UnsafeMutablePointer<Int32>
  private(set) var count = 0

  init() {
    slab = .allocate(byteCount: Self.capacity * Self.slotBytes, alignment: 64)
    datagrams = .allocate(capacity: Self.capacity)
    datagrams.initialize(repeating: linux_datagram(), count: Self.capacity)
    tags = .allocate(capacity: Self.capacity)
    tags.initialize(repeating: Tag(subscription: -1), count: Self.capacity)
    dropped = .allocate(capacity: Self.capacity)
    for index in 0..<Self.capacity {
      datagrams[index].data = (slab + index * Self.slotBytes).assumingMemoryBound(to: UInt8.self)
    }
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
    tags.deallocate()
    dropped.deallocate()
  }

  @inline(__always) var isFull: Bool { count == Self.capacity }

  /// Where the next datagram is to be written; the batch must not be full.
  @inline(__always) var next: UnsafeMutableRawPointer { UnsafeMutableRawPointer(datagrams[count].data) }

  /// Takes what was written at `next`.
  @inline(__always) mutating func commit(_ length: Int, to destination: Destination, subscription: Int32 = -1) {
    let datagram = datagrams + count
    datagram.pointee.capacity = UInt32(truncatingIfNeeded: length)
    datagram.pointee.segment = 0
    datagram.pointee.address_length = destination.length
    withUnsafeMutableBytes(of: &datagram.pointee.address) {
      $0.storeBytes(of: destination.bytes, as: type(of: destination.bytes))
    }
    tags[count].subscription = subscription
    count &+= 1
  }

  /// Sends all. When the socket takes no more, video is dropped and the rest is kept for the next flush, up to half the batch.
  mutating func flush(_ descriptor: Int32) -> Outcome {
    var outcome = Outcome()
    var first = 0
    while first < count {
      let sent = Int(linux_send(descriptor, datagrams + first, Int32(count - first)))
      if sent > 0 {
        for index in first..<(first + sent) { outcome.bytes &+= Int(datagrams[index].capacity) }
        outcome.packets += sent
        first += sent
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        keepUrgent(from: first, &outcome)
        return outcome
      default:
        // This datagram can't leave (no route, too long, refused): the others can.
        outcome.failed += 1
        first += 1
      }
    }
    count = 0
    return outcome
  }

  private mutating func keepUrgent(from first: Int, _ outcome: inout Outcome) {
    var kept = 0
    for index in first..<count {
      if tags[index].subscription >= 0 {
        dropped[outcome.full] = tags[index].subscription
        outcome.full += 1
      } else if kept < Self.capacity / 2 {
        if kept != index {
          // The slots of the slab change places with their datagrams.
          swap(&datagrams[kept], &datagrams[index])
          swap(&tags[kept], &tags[index])
        }
        kept += 1
      } else {
        outcome.failed += 1
      }
    }
    count = kept
  }
}
