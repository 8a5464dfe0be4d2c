/// The number of copies with which each of a subscription's last 64 audio packets was sent: as many as the ring of audio has.
///
/// A packet that is resent without RTX has the same SRTP index, so it must be the same, byte for byte, even if the redundancy
/// has changed since.
struct SentCopies: BitwiseCopyable {
  private var ones: UInt64 = 0
  private var twos: UInt64 = 0

  /// By outgoing sequence number; 0 … 3.
  subscript(number: Int64) -> UInt8 {
    get {
      let bit = UInt64(truncatingIfNeeded: number & 63)
      return UInt8(truncatingIfNeeded: ones >> bit & 1 | (twos >> bit & 1) << 1)
    }
    set {
      let bit = UInt64(1) << UInt64(truncatingIfNeeded: number & 63)
      ones = newValue & 1 != 0 ? ones | bit : ones & ~bit
      twos = newValue & 2 != 0 ? twos | bit : twos & ~bit
    }
  }
}
