import RoomRTP

/// The packets that wait to be forwarded: one list per track, so that forwarding can proceed subscriber by subscriber.
///
/// Audio waits for the end of its receive batch. The video packets of a frame wait for each other, so that they can be sent as
/// one message, but no longer than `longestWait`.
struct PendingPackets: ~Copyable {
  /// Many receive batches. When it is full, packets no longer wait.
  static let capacity = 1024
  /// Maximum wait for the rest of a frame, in microseconds. A sender that bursts a frame needs a few hundred. A sender that
  /// paces it leaves gaps too long to wait for.
  static let longestWait: Int64 = 1000
  /// Maximum padding of a packet, in bytes, to join its neighbours in one message. Encoders cut a frame into equal parts, which
  /// differ by a byte, or by the header extensions that only the first or the last packet had room for.
  static let longestPadding = 32

  private struct Entry: BitwiseCopyable {
    var sequence: Int64
    var next: Int32
    var padding: Int32
  }

  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0
  /// The tracks with pending packets, without duplicates.
  private let tracks: UnsafeMutablePointer<Int32>
  private(set) var trackCount = 0
  /// The tracks whose packets are sent now.
  let ready: UnsafeMutablePointer<Int32>
  private(set) var readyCount = 0
  /// The time at which the waiting packets are due; nil if there are none.
  private(set) var deadline: Instant?

  init() {
    entries = .allocate(capacity: Self.capacity)
    tracks = .allocate(capacity: Self.capacity)
    ready = .allocate(capacity: Self.capacity)
  }

  deinit {
    entries.deallocate()
    tracks.deallocate()
    ready.deallocate()
  }

  @inline(__always) var isFull: Bool { count == Self.capacity }

  /// Appends a packet; the table must not be full. `endsFrame` states that the packet is the last of its frame.
  @inline(__always) mutating func append(
    _ sequence: Int64, track: Int, _ slot: UnsafeMutablePointer<TrackSlot>, endsFrame: Bool, now: Instant
  ) {
    let entry = Int32(truncatingIfNeeded: count)
    entries[count] = Entry(sequence: sequence, next: -1, padding: 0)
    count &+= 1
    if slot.pointee.firstPending < 0 {
      slot.pointee.firstPending = entry
      slot.pointee.pendingCount = 0
      slot.pointee.pendingSince = now
      tracks[trackCount] = Int32(truncatingIfNeeded: track)
      trackCount &+= 1
    } else {
      entries[Int(slot.pointee.lastPending)].next = entry
    }
    slot.pointee.lastPending = entry
    slot.pointee.pendingCount &+= 1
    slot.pointee.awaitsFrameEnd = !endsFrame
  }

  @inline(__always) func sequence(_ entry: Int32) -> Int64 { entries[Int(entry)].sequence }
  @inline(__always) func next(_ entry: Int32) -> Int32 { entries[Int(entry)].next }
  /// Returns the bytes of padding behind the payload in the ring that make the packet as long as its neighbours.
  @inline(__always) func padding(_ entry: Int32) -> Int { Int(entries[Int(entry)].padding) }

  /// Moves to `ready` the tracks whose frame is complete, fills a message, or has waited long enough.
  mutating func takeReady(_ now: Instant, all: Bool, of slots: borrowing SlotTable<TrackSlot>) {
    var waiting = 0
    deadline = nil
    for index in 0..<trackCount {
      let slot = slots[Int(tracks[index])]
      let due = slot.pointee.pendingSince.advanced(microseconds: Self.longestWait)
      if all || !slot.pointee.awaitsFrameEnd || slot.pointee.pendingCount >= SendBatch.packetsPerMessage || due <= now {
        ready[readyCount] = tracks[index]
        readyCount &+= 1
      } else {
        tracks[waiting] = tracks[index]
        waiting &+= 1
        deadline = min(deadline ?? due, due)
      }
    }
    trackCount = waiting
  }

  /// Removes the tracks in `ready`.
  mutating func removeReady() {
    readyCount = 0
    if trackCount == 0 { count = 0 }
  }

  /// Finds the padding that makes neighbouring packets of a list equally long, and writes it behind their payloads in the ring.
  mutating func equalise(_ first: Int32, in ring: PacketRing) {
    var entry = first
    while entry >= 0 { entry = equaliseMessage(entry, in: ring) }
  }

  /// Does so for the packets that can form one message. Returns the first packet after them.
  private mutating func equaliseMessage(_ first: Int32, in ring: PacketRing) -> Int32 {
    var shortest = UInt16.max
    var longest: UInt16 = 0
    var packets = 0
    var entry = first
    var last = first
    var isWhole = false
    while entry >= 0, !isWhole, packets < SendBatch.packetsPerMessage {
      if let packet = ring[sequence(entry)] {
        let length = packet.pointee.length
        if max(longest, length) &- min(shortest, length) > Self.longestPadding { break }
        longest = max(longest, length)
        shortest = min(shortest, length)
        packets += 1
        isWhole = packet.pointee.flags.contains(.marker)
      }
      last = entry
      entry = next(entry)
    }
    // The last packet of a message may be shorter without padding: the last of these, or the next one if it was too short to
    // join them.
    var end = last
    if !isWhole, packets < SendBatch.packetsPerMessage, entry >= 0, let packet = ring[sequence(entry)],
      packet.pointee.length < shortest
    {
      end = entry
      entry = next(entry)
    }
    var current = first
    while current >= 0, current != end {
      if let packet = ring[sequence(current)], packet.pointee.length < longest {
        let padding = Int(longest &- packet.pointee.length)
        if PacketRing.canPad(packet, by: padding) {
          PacketRing.pad(packet, by: padding)
          entries[Int(current)].padding = Int32(truncatingIfNeeded: padding)
        }
      }
      current = next(current)
    }
    return entry
  }
}
