import RTP

/// The packets that wait for their tracks' subscribers: one list per track, so that forwarding can go subscriber by subscriber.
///
/// Audio waits for the end of its receive batch. Of video, the packets of a frame wait for each other, so that they can leave as one
/// message, but no longer than `longestWait`.
struct PendingPackets: ~Copyable {
  /// Many receive batches; when it is full, nothing waits any more.
  static let capacity = 1024
  /// Microseconds that a packet waits for the rest of its frame. Senders that burst a frame have it through in a few hundred;
  /// those that pace it leave more between two packets than anybody should wait.
  static let longestWait: Int64 = 1000
  /// Bytes of padding that a packet may get so that it can be in one message with its neighbours. Encoders cut a frame into
  /// equal parts; what differs is a byte, or the header extensions that only the first or the last packet had room left for.
  static let longestPadding = 32

  private struct Entry: BitwiseCopyable {
    var sequence: Int64
    var next: Int32
    var padding: Int32
  }

  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0
  /// The tracks that have pending packets, each once.
  private let tracks: UnsafeMutablePointer<Int32>
  private(set) var trackCount = 0
  /// Those of them whose packets leave now.
  let ready: UnsafeMutablePointer<Int32>
  private(set) var readyCount = 0
  /// When those that wait have waited long enough; nil where none does.
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

  /// Must not be full. `endsFrame` says that nothing more of this frame is to come.
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
  /// Bytes of padding behind the payload in the ring, with which the packet is as long as its neighbours.
  @inline(__always) func padding(_ entry: Int32) -> Int { Int(entries[Int(entry)].padding) }

  /// Moves to `ready` the tracks whose frame is whole, fills a message, or has waited long enough.
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

  /// Forgets those that were ready.
  mutating func removeReady() {
    readyCount = 0
    if trackCount == 0 { count = 0 }
  }

  /// Finds for the packets of a list what padding makes neighbours equally long, and writes it behind their payloads in the ring.
  mutating func equalise(_ first: Int32, in ring: PacketRing) {
    var entry = first
    while entry >= 0 { entry = equaliseMessage(entry, in: ring) }
  }

  /// The same for the packets that can be one message; gives the first after them.
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
    // A message's last packet may be shorter as it is: the last of these, or the one that was too short to be among them.
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
        PacketRing.pad(packet, by: padding)
        entries[Int(current)].padding = Int32(truncatingIfNeeded: padding)
      }
      current = next(current)
    }
    return entry
  }
}
