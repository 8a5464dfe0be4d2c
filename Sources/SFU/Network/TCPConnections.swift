import RoomRTP
import RoomWebRTC

/// A worker's TCP connections by number and by address. Their number is limited; the number of unproven ones is also limited
/// per origin.
struct TCPConnections: ~Copyable {
  /// The maximum number of bytes per read.
  static let slabBytes = 65_536
  /// The longest accepted frame in bytes, equal to the longest datagram.
  static let longestFrame = 1600
  private static let partialStride = 2048

  /// The unit in which unproven connections are counted: an IPv4 address or an IPv6 network, because the network's owner has
  /// all of its addresses.
  private struct Origin: Hashable {
    var high: UInt64
    var low: UInt64

    init(_ address: TransportAddress) {
      high = address.high
      low = address.isIPv4 ? address.low : 0
    }
  }

  private var slots: SlotTable<TCPConnection>
  private var indices: ProbingTable<AddressKey>
  private var unproven: [Origin: Int] = [:]
  private let unprovenPerOrigin: Int
  private var firstBusy: Int32 = -1
  /// The read buffer. Reads append to the bytes left over from the connection's previous read.
  let slab: UnsafeMutableRawPointer
  private let partials: UnsafeMutableRawPointer

  init(limits: MediaLimits) {
    let capacity = max(0, limits.tcpConnectionsPerWorker)
    slots = SlotTable(capacity: capacity)
    indices = ProbingTable(limit: capacity)
    unprovenPerOrigin = limits.tcpUnprovenPerAddress
    slab = .allocate(byteCount: Self.partialStride + Self.slabBytes, alignment: 64)
    partials = .allocate(byteCount: max(1, capacity) * Self.partialStride, alignment: 64)
  }

  deinit {
    for index in 0..<slots.end where slots.isLive(index) { slots[index].pointee.queue?.free() }
    slab.deallocate()
    partials.deallocate()
  }

  var count: Int { slots.count }
  /// Indices from here on have never been used.
  var end: Int { slots.end }

  @inline(__always) subscript(index: Int) -> UnsafeMutablePointer<TCPConnection> { slots[index] }
  @inline(__always) func isLive(_ index: Int) -> Bool { slots.isLive(index) }
  @inline(__always) func generation(_ index: Int) -> UInt32 { slots.generation(index) }

  /// Returns the connection with this remote address, or −1.
  func index(of key: AddressKey) -> Int { indices[key] }

  var isFull: Bool { slots.count == slots.capacity }

  /// Returns the unproven connection that was accepted first.
  func oldestUnproven() -> Int? {
    var oldest: Int?
    for index in 0..<slots.end where slots.isLive(index) && !slots[index].pointee.isProven {
      if let found = oldest, slots[found].pointee.deadline <= slots[index].pointee.deadline { continue }
      oldest = index
    }
    return oldest
  }

  /// Adds a connection; returns nil if a limit forbids it.
  mutating func insert(_ connection: TCPConnection) -> Int? {
    let key = AddressKey(connection.address)
    let origin = Origin(connection.address)
    guard unproven[origin, default: 0] < unprovenPerOrigin, indices[key] < 0, let index = slots.insert(connection) else {
      return nil
    }
    indices.set(key, index)
    unproven[origin, default: 0] += 1
    return index
  }

  /// Assigns the connection to `transport`.
  mutating func prove(_ index: Int, for transport: Int) {
    let connection = slots[index]
    if !connection.pointee.isProven { countDown(Origin(connection.pointee.address)) }
    connection.pointee.transport = Int32(truncatingIfNeeded: transport)
  }

  /// Removes a connection and frees its memory. The caller closes the descriptor.
  mutating func remove(_ index: Int) {
    guard slots.isLive(index) else { return }
    let connection = slots[index]
    if !connection.pointee.isProven { countDown(Origin(connection.pointee.address)) }
    connection.pointee.queue?.free()
    indices.remove(AddressKey(connection.pointee.address))
    slots.remove(index)
  }

  private mutating func countDown(_ origin: Origin) {
    guard let count = unproven[origin] else { return }
    unproven[origin] = count > 1 ? count - 1 : nil
  }

  // MARK: Frames that are not whole yet

  /// Copies the leftover bytes to the start of the slab, in front of the next read's bytes. Returns their number.
  func restorePartial(_ index: Int) -> Int {
    let held = slots[index].pointee.partial
    if held > 0 { slab.copyMemory(from: partials + index * Self.partialStride, byteCount: held) }
    return held
  }

  /// Stores the rest of the slab from `offset` on, which is less than a frame.
  func keepPartial(_ index: Int, from offset: Int, to end: Int) {
    let held = min(end - offset, Self.partialStride)
    guard held > 0 else { return }
    (partials + index * Self.partialStride).copyMemory(from: slab + offset, byteCount: held)
    slots[index].pointee.partial = held
  }

  // MARK: What is to be done at the end of the turn

  @inline(__always) mutating func markBusy(_ index: Int) {
    let connection = slots[index]
    guard !connection.pointee.isBusy else { return }
    connection.pointee.isBusy = true
    connection.pointee.nextBusy = firstBusy
    firstBusy = Int32(truncatingIfNeeded: index)
  }

  mutating func popBusy() -> Int? {
    guard firstBusy >= 0 else { return nil }
    let index = Int(firstBusy)
    firstBusy = slots[index].pointee.nextBusy
    slots[index].pointee.isBusy = false
    return index
  }
}
