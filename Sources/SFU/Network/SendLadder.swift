import Glibc

/// Selects how each socket of a worker sends: the best call that its kernel has not refused.
///
/// A single refused segmented message (UDP GSO) proves little. One receiver's path may have a small MTU (EMSGSIZE, in older
/// kernels EINVAL), or a device without checksum offload (EIO). So a socket loses the rung only after several refusals in a
/// row: few if it has never sent a segmented message, many if it has. Only refusals whose packets were then sent one by one
/// count.
struct SendLadder: ~Copyable {
  /// In ascending order.
  enum Rung: UInt8, Comparable {
    /// `sendto`.
    case single
    /// `sendmmsg`.
    case batched
    /// `sendmmsg` with messages that the kernel segments into datagrams.
    case segmented

    static func < (left: Rung, right: Rung) -> Bool { left.rawValue < right.rawValue }
  }

  /// Refusals in a row that cost a socket the rung: if it never sent segments, and if it did.
  static let firstPatience = 4
  static let patience = 64
  /// The number of sockets that are tracked. Others send unsegmented.
  static let sockets = 64

  private struct Entry: BitwiseCopyable {
    var socket: Int32
    var rung: Rung
    var hasSegmented: Bool
    var refusals: Int
  }

  private let top: Rung
  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0

  /// - Parameter top: The rung at which a new socket begins.
  init(top: Rung = .segmented) {
    self.top = top
    entries = .allocate(capacity: Self.sockets)
  }

  deinit { entries.deallocate() }

  /// Returns the rung of a socket. A new socket begins at the top.
  @inline(__always) mutating func rung(of socket: Int32) -> Rung {
    guard let entry = entry(of: socket) else { return .batched }
    return entry.pointee.rung
  }

  /// Records that the kernel accepted a segmented message.
  @inline(__always) mutating func segmented(by socket: Int32) {
    guard let entry = entry(of: socket) else { return }
    entry.pointee.hasSegmented = true
    entry.pointee.refusals = 0
  }

  /// Records that the kernel refused a segmented message with this error, and accepted its packets one by one.
  mutating func refusedSegments(_ cause: Int32, by socket: Int32) {
    // EMSGSIZE concerns only this receiver's path.
    guard cause != EMSGSIZE, let entry = entry(of: socket), entry.pointee.rung == .segmented else { return }
    entry.pointee.refusals += 1
    let patience = entry.pointee.hasSegmented ? Self.patience : Self.firstPatience
    if entry.pointee.refusals >= patience { entry.pointee.rung = .batched }
  }

  /// Records that the kernel has no `sendmmsg`. Returns whether there is a lower rung.
  mutating func refusedBatch(by socket: Int32) -> Bool {
    guard let entry = entry(of: socket), entry.pointee.rung > .single else { return false }
    entry.pointee.rung = .single
    return true
  }

  @inline(__always) private mutating func entry(of socket: Int32) -> UnsafeMutablePointer<Entry>? {
    for index in 0..<count where entries[index].socket == socket { return entries + index }
    guard count < Self.sockets else { return nil }
    (entries + count).initialize(to: Entry(socket: socket, rung: top, hasSegmented: false, refusals: 0))
    count += 1
    return entries + (count - 1)
  }
}
