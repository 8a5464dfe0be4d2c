import Glibc
import RoomCLinux

/// The datagrams that one `sendmmsg` call sends. Consecutive ones to one node with the same length, the last of which may be
/// shorter, form one message that the kernel segments (UDP GSO), unless the kernel refuses such messages.
struct DatagramBatch: ~Copyable {
  static let capacity = 64
  static let datagramsPerMessage = 16
  /// Longer datagrams may need IP fragments, which segments can't have.
  private static let longestSegment = 1_452
  /// Refusals in a row after which no message is segmented. Fewer prove little: one path may have a small MTU.
  private static let patience = 16

  struct Counters: Hashable, Sendable {
    var datagrams: UInt64 = 0
    var messages: UInt64 = 0
    /// Datagrams that did not fit in the socket's buffer. The receiving node requests them again.
    var full: UInt64 = 0
    /// Datagrams that could not be sent.
    var failed: UInt64 = 0
  }

  private let slab: UnsafeMutableRawPointer
  private var used = 0
  private let messages: UnsafeMutablePointer<linux_datagram>
  private var messageCount = 0
  private var datagramsInLast = 0
  /// The length of the datagrams of the last message; 0 if none may join.
  private var joinable = 0
  private(set) var count = 0
  private let segments: Bool
  private var refusals = 0
  private(set) var counters = Counters()

  /// - Parameter segments: whether several datagrams may become one message.
  init(segments: Bool = true) {
    self.segments = segments
    slab = .allocate(byteCount: Self.capacity * Link.longestDatagram, alignment: 64)
    messages = .allocate(capacity: Self.capacity)
    messages.initialize(repeating: linux_datagram(), count: Self.capacity)
  }

  deinit {
    slab.deallocate()
    messages.deallocate()
  }

  var isFull: Bool { count == Self.capacity }

  /// The memory of the next datagram. The batch must not be full.
  var next: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: slab + used, count: Link.longestDatagram)
  }

  /// Makes the next datagram begin a new message, because it has another destination.
  mutating func endMessage() { joinable = 0 }

  /// Adds the datagram that was written to `next`.
  mutating func commit(_ length: Int, to address: NodeAddress) {
    count += 1
    used += length
    if joinable > 0, length <= joinable, datagramsInLast < Self.datagramsPerMessage {
      let last = messages + (messageCount - 1)
      last.pointee.segment = UInt16(truncatingIfNeeded: joinable)
      last.pointee.capacity += UInt32(truncatingIfNeeded: length)
      datagramsInLast += 1
      if length < joinable { joinable = 0 }
      return
    }
    let message = messages + messageCount
    message.pointee.data = (slab + (used - length)).assumingMemoryBound(to: UInt8.self)
    message.pointee.capacity = UInt32(truncatingIfNeeded: length)
    message.pointee.segment = 0
    message.pointee.address_length = address.length
    address.write(to: &message.pointee.address)
    messageCount += 1
    datagramsInLast = 1
    joinable = segments && refusals < Self.patience && length <= Self.longestSegment ? length : 0
  }

  /// Sends all datagrams. What does not fit in the socket's buffer is dropped: the receiving node requests it again.
  mutating func flush(to socket: Int32) {
    var first = 0
    while first < messageCount {
      let sent = Int(linux_send(socket, messages + first, Int32(truncatingIfNeeded: messageCount - first)))
      if sent > 0 {
        for index in first..<(first + sent) {
          counters.datagrams &+= UInt64(datagrams(in: index))
          counters.messages &+= 1
          if messages[index].segment > 0 { refusals = 0 }
        }
        first += sent
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        for index in first..<messageCount { counters.full &+= UInt64(datagrams(in: index)) }
        first = messageCount
      case _ where messages[first].segment > 0:
        refusals += 1
        sendSeparately(first, to: socket)
        first += 1
      default:
        counters.failed &+= 1
        first += 1
      }
    }
    messageCount = 0
    used = 0
    count = 0
    joinable = 0
  }

  private func datagrams(in index: Int) -> Int {
    let segment = Int(messages[index].segment)
    return segment == 0 ? 1 : (Int(messages[index].capacity) + segment - 1) / segment
  }

  private mutating func sendSeparately(_ index: Int, to socket: Int32) {
    var part = messages[index]
    var rest = part.capacity
    let segment = UInt32(part.segment)
    part.segment = 0
    while rest > 0 {
      part.capacity = min(rest, segment)
      if linux_send_one(socket, &part) == 0 {
        counters.datagrams &+= 1
        counters.messages &+= 1
      } else {
        counters.failed &+= 1
      }
      part.data += Int(part.capacity)
      rest -= part.capacity
    }
  }
}
