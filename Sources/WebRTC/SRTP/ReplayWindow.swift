/// The packet indices already received (RFC 3711 §3.3.2): a ring of bits below the highest index.
struct ReplayWindow {
  private(set) var highest: UInt64 = 0
  private let words: UnsafeMutablePointer<UInt64>
  private let size: UInt64

  /// Creates a window. `size` is a power of two, at least 64. `deallocate` frees the bits.
  init(size: Int) {
    self.size = UInt64(size)
    words = .allocate(capacity: size / 64)
    words.initialize(repeating: 0, count: size / 64)
  }

  func deallocate() { words.deallocate() }

  /// Returns the index with this sequence number nearest to the highest (RFC 3711 appendix A); uses ROC 0 if it would be
  /// negative.
  func index(of sequence: UInt64) -> UInt64 {
    let same = highest & ~0xFFFF | sequence
    if same > highest {
      return same &- highest > 0x8000 && same >= 0x1_0000 ? same &- 0x1_0000 : same
    }
    return highest &- same > 0x8000 ? same &+ 0x1_0000 : same
  }

  /// Returns whether this index is neither a replay nor older than the window.
  func accepts(_ index: UInt64) -> Bool {
    if index > highest { return true }
    guard highest &- index < size else { return false }
    return words[word(index)] & bit(index) == 0
  }

  /// Records an index that `accepts` has accepted.
  mutating func insert(_ index: UInt64) {
    if index > highest {
      if index &- highest >= size {
        words.update(repeating: 0, count: Int(size / 64))
      } else {
        var skipped = highest &+ 1
        while skipped < index {
          words[word(skipped)] &= ~bit(skipped)
          skipped &+= 1
        }
      }
      highest = index
    }
    words[word(index)] |= bit(index)
  }

  private func word(_ index: UInt64) -> Int { Int(index & (size &- 1)) >> 6 }
  private func bit(_ index: UInt64) -> UInt64 { 1 << (index & 63) }
}
