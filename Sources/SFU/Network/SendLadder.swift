import Glibc

/// How each socket of a worker sends: by the best call that its kernel has not refused.
///
/// A refused segmented message (UDP GSO) says little by itself: the path of one receiver may have a small MTU (EMSGSIZE, in older
/// kernels EINVAL) or a device without checksums (EIO). So the rung is lost by several refusals in a row, few for a socket that
/// never got a segmented message through, many for one that did, and only by such whose packets then went one by one.
struct SendLadder: ~Copyable {
  /// Best last.
  enum Rung: UInt8, Comparable {
    /// `sendto`.
    case single
    /// `sendmmsg`.
    case batched
    /// `sendmmsg` with messages that the kernel cuts into datagrams.
    case segmented

    static func < (left: Rung, right: Rung) -> Bool { left.rawValue < right.rawValue }
  }

  /// Refusals in a row that cost a socket the rung when it never sent segments, and when it did.
  static let firstPatience = 4
  static let patience = 64
  /// Sockets that are told apart; what is beyond sends unsegmented.
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

  /// - Parameter top: where a new socket begins.
  init(top: Rung = .segmented) {
    self.top = top
    entries = .allocate(capacity: Self.sockets)
  }

  deinit { entries.deallocate() }

  /// The rung of a socket; a new one begins at the top.
  @inline(__always) mutating func rung(of socket: Int32) -> Rung {
    guard let entry = entry(of: socket) else { return .batched }
    return entry.pointee.rung
  }

  /// The kernel took a segmented message.
  @inline(__always) mutating func segmented(by socket: Int32) {
    guard let entry = entry(of: socket) else { return }
    entry.pointee.hasSegmented = true
    entry.pointee.refusals = 0
  }

  /// The kernel refused a segmented message for this error, and took its packets one by one.
  mutating func refusedSegments(_ cause: Int32, by socket: Int32) {
    // EMSGSIZE is about nothing but this receiver's path.
    guard cause != EMSGSIZE, let entry = entry(of: socket), entry.pointee.rung == .segmented else { return }
    entry.pointee.refusals += 1
    let patience = entry.pointee.hasSegmented ? Self.patience : Self.firstPatience
    if entry.pointee.refusals >= patience { entry.pointee.rung = .batched }
  }

  /// The kernel has no `sendmmsg`. Gives whether there is a rung below.
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
