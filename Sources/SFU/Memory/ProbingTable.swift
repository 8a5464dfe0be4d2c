/// A key of the packet path's tables.
protocol PacketKey: BitwiseCopyable, Equatable {
  /// Hashes the key to 64 bits. Each table has its own `seed`, so that outsiders can't choose keys that collide.
  func mixed(_ seed: UInt64) -> UInt64
}

/// An open-addressing hash table with linear probing and a fixed capacity. A look-up takes one hash and usually one cache line.
struct ProbingTable<Key: PacketKey>: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var key: Key
    var value: Int32
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let used: UnsafeMutablePointer<Bool>
  private let mask: Int
  private let seed = UInt64.random(in: .min ... .max)
  private(set) var count = 0
  let limit: Int

  /// Creates a table for up to `limit` entries. It has twice as many slots, to keep the probes short.
  init(limit: Int) {
    self.limit = limit
    var places = 16
    while places < limit &* 2 { places &*= 2 }
    mask = places - 1
    entries = .allocate(capacity: places)
    used = .allocate(capacity: places)
    used.initialize(repeating: false, count: places)
  }

  deinit {
    entries.deallocate()
    used.deallocate()
  }

  @inline(__always) private func place(_ key: Key) -> Int { Int(truncatingIfNeeded: key.mixed(seed)) & mask }

  /// The value, or −1.
  @inline(__always) subscript(key: Key) -> Int {
    var index = place(key)
    while used[index] {
      if entries[index].key == key { return Int(entries[index].value) }
      index = (index &+ 1) & mask
    }
    return -1
  }

  /// Sets the value. Returns false if the table is full.
  @discardableResult mutating func set(_ key: Key, _ value: Int) -> Bool {
    var index = place(key)
    while used[index] {
      if entries[index].key == key {
        entries[index].value = Int32(truncatingIfNeeded: value)
        return true
      }
      index = (index &+ 1) & mask
    }
    guard count < limit else { return false }
    used[index] = true
    entries[index] = Entry(key: key, value: Int32(truncatingIfNeeded: value))
    count += 1
    return true
  }

  /// Removes the entry, and moves displaced entries back within reach of their home slots.
  mutating func remove(_ key: Key) {
    var hole = place(key)
    while true {
      guard used[hole] else { return }
      if entries[hole].key == key { break }
      hole = (hole &+ 1) & mask
    }
    count -= 1
    var index = hole
    while true {
      index = (index &+ 1) & mask
      guard used[index] else { break }
      let home = place(entries[index].key)
      // The entry stays if its home is cyclically in (hole, index].
      let stays = hole <= index ? (hole < home && home <= index) : (hole < home || home <= index)
      if !stays {
        entries[hole] = entries[index]
        hole = index
      }
    }
    used[hole] = false
  }
}

@inline(__always) func mix64(_ value: UInt64) -> UInt64 {
  // splitmix64's finaliser.
  var x = value
  x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
  x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
  return x ^ (x >> 31)
}
