/// The packets of one receive batch that wait for their tracks' subscribers: one list per track, so that forwarding can go subscriber
/// by subscriber.
struct PendingPackets: ~Copyable {
  /// Twice a receive batch: no datagram brings more than one packet.
  static let capacity = ReceiveBatch.count * 2

  private let sequences: UnsafeMutablePointer<Int64>
  private let next: UnsafeMutablePointer<Int32>
  private var count = 0
  /// The tracks that have pending packets, each once.
  let tracks: UnsafeMutablePointer<Int32>
  private(set) var trackCount = 0

  init() {
    sequences = .allocate(capacity: Self.capacity)
    next = .allocate(capacity: Self.capacity)
    tracks = .allocate(capacity: Self.capacity)
  }

  deinit {
    sequences.deallocate()
    next.deallocate()
    tracks.deallocate()
  }

  @inline(__always) mutating func append(_ sequence: Int64, track: Int, slot: UnsafeMutablePointer<TrackSlot>) {
    guard count < Self.capacity else { return }
    let entry = Int32(truncatingIfNeeded: count)
    sequences[count] = sequence
    next[count] = -1
    count &+= 1
    if slot.pointee.firstPending < 0 {
      slot.pointee.firstPending = entry
      tracks[trackCount] = Int32(truncatingIfNeeded: track)
      trackCount &+= 1
    } else {
      next[Int(slot.pointee.lastPending)] = entry
    }
    slot.pointee.lastPending = entry
  }

  @inline(__always) func sequence(_ entry: Int32) -> Int64 { sequences[Int(entry)] }
  @inline(__always) func next(_ entry: Int32) -> Int32 { next[Int(entry)] }

  mutating func removeAll() {
    count = 0
    trackCount = 0
  }
}
