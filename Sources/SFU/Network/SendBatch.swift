import RoomCLinux
import Glibc

/// The outgoing slab. Packets are written one after another; those that may form one kernel message (UDP GSO) do.
///
/// - All packets of a message have one destination and one length, except the last, which may be shorter (`joins`).
/// - If the kernel refuses a message, its packets are sent as single datagrams in the same flush: see `SendLadder`.
struct SendBatch: ~Copyable {
  /// The maximum number of packets.
  static let capacity = 64
  /// The maximum size of a packet in bytes: the ring's longest payload, header, extensions and tag.
  static let slotBytes = 1664
  /// The maximum per message. More gain little (0.51 µs a packet with 16, 0.63 with 8) and make one long burst.
  static let packetsPerMessage = 8

  /// What the worker needs to know of a message when the socket's buffer is full.
  private struct Tag: BitwiseCopyable {
    /// The subscription whose video this is; −1 for packets that are never dropped first: audio, RTCP, STUN, DTLS.
    var subscription: Int32 = -1
    /// The descriptor of the socket to send from.
    var socket: Int32 = -1
    var packets = 1
  }

  /// The result of a flush.
  struct Outcome: Equatable {
    /// Packets that the kernel accepted, in messages of any size.
    var packets = 0
    var bytes = 0
    /// Messages of several packets that the kernel accepted, and their packets.
    var segmentedMessages = 0
    var segments = 0
    /// Messages of several packets that the kernel refused. Their packets were sent one by one.
    var refusedMessages = 0
    /// Video packets dropped because the socket's buffer was full.
    var full = 0
    /// The number of entries in `dropped`.
    var lagging = 0
    /// Packets that could not be sent.
    var failed = 0
  }

  private let calls: SendingCalls
  private var ladder: SendLadder
  private let slab: UnsafeMutableRawPointer
  /// Bytes of the slab that are in use.
  private var used = 0
  private let messages: UnsafeMutablePointer<linux_datagram>
  private let tags: UnsafeMutablePointer<Tag>
  private var messageCount = 0
  /// The packets of a message that the kernel refused to segment.
  private let apart: UnsafeMutablePointer<linux_datagram>
  /// Subscriptions that lost packets in the last flush. May contain duplicates.
  let dropped: UnsafeMutablePointer<Int32>
  /// Packets in the batch.
  private(set) var count = 0
  /// The length that a packet must have, or must not exceed, to join the last message; 0 if none may.
  private var joinable = 0

  /// - Parameter segments: Whether several packets may become one message.
  init(calls: SendingCalls = .kernel, segments: Bool = true) {
    self.calls = calls
    ladder = SendLadder(top: segments ? .segmented : .batched)
    slab = .allocate(byteCount: Self.capacity * Self.slotBytes, alignment: 64)
    messages = .allocate(capacity: Self.capacity)
    messages.initialize(repeating: linux_datagram(), count: Self.capacity)
    tags = .allocate(capacity: Self.capacity)
    tags.initialize(repeating: Tag(), count: Self.capacity)
    apart = .allocate(capacity: Self.packetsPerMessage)
    apart.initialize(repeating: linux_datagram(), count: Self.packetsPerMessage)
    dropped = .allocate(capacity: Self.capacity)
  }

  deinit {
    slab.deallocate()
    messages.deallocate()
    tags.deallocate()
    apart.deallocate()
    dropped.deallocate()
  }

  @inline(__always) var isFull: Bool { count == Self.capacity }

  /// The address at which to write the next packet. The batch must not be full.
  @inline(__always) var next: UnsafeMutableRawPointer { slab + used }

  /// Returns whether packets to this destination may be sent as segments of one message.
  @inline(__always) mutating func segments(to destination: Destination) -> Bool {
    destination.connection < 0 && ladder.rung(of: destination.socket) == .segmented
  }

  /// Makes the next packet begin a new message.
  @inline(__always) mutating func endMessage() { joinable = 0 }

  /// Adds the packet that was written at `next`.
  ///
  /// `joins` states that the packet goes to the same destination and subscription as the packet before. If that packet also had
  /// `joins` set and no `endMessage` call followed, the two form one message if their lengths allow it.
  @inline(__always) mutating func commit(
    _ length: Int, to destination: Destination, subscription: Int32 = -1, joins: Bool = false
  ) {
    count &+= 1
    used &+= length
    if joins, length <= joinable {
      let last = messageCount &- 1
      messages[last].segment = UInt16(truncatingIfNeeded: joinable)
      messages[last].capacity &+= UInt32(truncatingIfNeeded: length)
      tags[last].packets &+= 1
      if length < joinable || tags[last].packets == Self.packetsPerMessage { joinable = 0 }
      return
    }
    let message = messages + messageCount
    message.pointee.data = (slab + (used &- length)).assumingMemoryBound(to: UInt8.self)
    message.pointee.capacity = UInt32(truncatingIfNeeded: length)
    message.pointee.segment = 0
    message.pointee.address_length = destination.length
    withUnsafeMutableBytes(of: &message.pointee.address) {
      $0.storeBytes(of: destination.bytes, as: type(of: destination.bytes))
    }
    tags[messageCount] = Tag(subscription: subscription, socket: destination.socket)
    messageCount &+= 1
    joinable = joins ? length : 0
  }

  /// Sends all packets. When the socket's buffer is full, drops video and keeps the rest for the next flush, up to half the
  /// batch.
  mutating func flush() -> Outcome {
    var outcome = Outcome()
    joinable = 0
    var first = 0
    while first < messageCount {
      let socket = tags[first].socket
      let rung = ladder.rung(of: socket)
      if rung < .segmented, tags[first].packets > 1 {
        // Joined before the socket lost the rung.
        let isFull = !sendSeparately(first, &outcome)
        first += 1
        guard isFull else { continue }
        keepNonVideo(from: first, &outcome)
        return outcome
      }
      // One call sends all consecutive messages of the same socket.
      var end = first + 1
      while end < messageCount, tags[end].socket == socket, rung == .segmented || tags[end].packets == 1 { end += 1 }
      let taken = send(messages + first, end - first, by: socket, rung)
      if taken > 0 {
        for index in first..<(first + taken) { note(index, &outcome) }
        first += taken
        continue
      }
      switch Int32(truncatingIfNeeded: -taken) {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        keepNonVideo(from: first, &outcome)
        return outcome
      case ENOSYS where ladder.refusedBatch(by: socket): continue
      case let cause where tags[first].packets > 1:
        outcome.refusedMessages += 1
        let before = outcome.packets
        let isFull = !sendSeparately(first, &outcome)
        if outcome.packets > before { ladder.refusedSegments(cause, by: socket) }
        first += 1
        guard isFull else { continue }
        keepNonVideo(from: first, &outcome)
        return outcome
      default:
        // This datagram can't be sent (no route, too long, refused); the others can.
        outcome.failed += 1
        first += 1
      }
    }
    empty()
    return outcome
  }

  private mutating func empty() {
    messageCount = 0
    count = 0
    used = 0
  }

  private func send(_ list: UnsafePointer<linux_datagram>, _ count: Int, by socket: Int32, _ rung: SendLadder.Rung) -> Int {
    let call = rung == .single ? calls.single : calls.batch
    return Int(call(calls.context, socket, list, Int32(truncatingIfNeeded: count)))
  }

  @inline(__always) private mutating func note(_ index: Int, _ outcome: inout Outcome) {
    let packets = tags[index].packets
    outcome.packets &+= packets
    outcome.bytes &+= Int(messages[index].capacity)
    guard packets > 1 else { return }
    outcome.segmentedMessages &+= 1
    outcome.segments &+= packets
    ladder.segmented(by: tags[index].socket)
  }

  /// Sends a message's packets as separate datagrams. Returns false if the socket's buffer is full; the remaining packets are
  /// dropped.
  private mutating func sendSeparately(_ index: Int, _ outcome: inout Outcome) -> Bool {
    let socket = tags[index].socket
    let packets = tags[index].packets
    let segment = UInt32(messages[index].segment)
    for part in 0..<packets {
      apart[part] = messages[index]
      apart[part].segment = 0
      apart[part].data += part * Int(segment)
      apart[part].capacity = min(segment, messages[index].capacity &- UInt32(truncatingIfNeeded: part) &* segment)
    }
    var first = 0
    while first < packets {
      let rung = ladder.rung(of: socket)
      let taken = send(apart + first, packets - first, by: socket, rung)
      if taken > 0 {
        for part in first..<(first + taken) { outcome.bytes &+= Int(apart[part].capacity) }
        outcome.packets += taken
        first += taken
        continue
      }
      switch Int32(truncatingIfNeeded: -taken) {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        dropPackets(index, packets - first, &outcome)
        return false
      case ENOSYS where ladder.refusedBatch(by: socket): continue
      default:
        outcome.failed += 1
        first += 1
      }
    }
    return true
  }

  /// Handles packets of a message that do not fit in the socket's buffer.
  private func dropPackets(_ index: Int, _ packets: Int, _ outcome: inout Outcome) {
    outcome.full += packets
    dropped[outcome.lagging] = tags[index].subscription
    outcome.lagging += 1
  }

  private mutating func keepNonVideo(from first: Int, _ outcome: inout Outcome) {
    var kept = 0
    var bytes = 0
    for index in first..<messageCount {
      if tags[index].subscription >= 0 {
        dropPackets(index, tags[index].packets, &outcome)
      } else if kept < Self.capacity / 2 {
        // Only video is joined, so this is a single packet. It moves to the front.
        let length = Int(messages[index].capacity)
        let place = slab + bytes
        place.copyMemory(from: messages[index].data, byteCount: length)
        messages[kept] = messages[index]
        messages[kept].data = place.assumingMemoryBound(to: UInt8.self)
        tags[kept] = tags[index]
        bytes += length
        kept += 1
      } else {
        outcome.failed += 1
      }
    }
    messageCount = kept
    count = kept
    used = bytes
  }
}
