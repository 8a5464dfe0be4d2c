/// The body of a control datagram that is being written, in memory of its owner.
struct ControlBody {
  private let base: UnsafeMutableRawPointer
  private(set) var count = ControlHead.bytes

  /// - Parameter base: `LinkDatagram.bodyBytes` bytes.
  init(at base: UnsafeMutableRawPointer, _ head: ControlHead) {
    self.base = base
    head.write(to: base)
  }

  /// The bytes that still fit.
  var room: Int { LinkDatagram.bodyBytes - count }

  /// The number of blocks of some length that still fit.
  func room(for bytes: Int) -> Int { (LinkDatagram.bodyBytes - count) / bytes }

  /// Appends a block. The caller has checked that it fits.
  mutating func append(_ block: ControlBlock) {
    block.write(to: base + count)
    count += block.bytes
  }
}
