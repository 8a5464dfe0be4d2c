/// A key of the packet path's tables.
protocol PacketKey: BitwiseCopyable, Equatable {
  /// Spreads the key over 64 bits; `seed` is the table's own, so that outsiders can't choose keys that collide.
  func mixed(_ seed: UInt64) -> UInt64
}

/// Open addressing with linear probing over a fixed number of entries: a look-up is one hash and, mostly, one cache line.
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

  /// Holds up to `limit` entries; twice as many places keep the probes short.
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

  /// False when the table is full.
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

  /// Moves what was pushed on by the removed entry back into reach of its own place.
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
      // The entry stays when its home lies cyclically in (hole, index].
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
