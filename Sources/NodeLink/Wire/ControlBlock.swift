import RoomRTP

/// One part of a control datagram's body.
enum ControlBlock: Equatable {
  /// A missing datagram, and further ones: bit n of `mask` is the number `first` + 1 + n.
  case missing(first: UInt64, mask: UInt64)
  case report(LinkReport)
  /// The receiving node's wish; nil closes the stream.
  case wish(stream: UInt32, StreamWish?)
  /// Whether the sending node sends the stream.
  case feed(stream: UInt32, StreamFeed?)
  /// Sent to a node whose feeds ask for it.
  case arrivals(ArrivalReport)

  static let missingBytes = 15
  static let reportBytes = 33
  static let wishBytes = 14
  static let feedBytes = 6

  private enum Tag: UInt8 { case missing = 1, report, wish, feed, arrivals }

  var bytes: Int {
    switch self {
    case .missing: Self.missingBytes
    case .report: Self.reportBytes
    case .wish: Self.wishBytes
    case .feed: Self.feedBytes
    case .arrivals(let report): report.bytes
    }
  }

  /// Writes the `bytes` bytes of the block.
  func write(to target: UnsafeMutableRawPointer) {
    switch self {
    case .missing(let first, let mask):
      target.store8(Tag.missing.rawValue, 0)
      target.store48(first, 1)
      target.store64(mask, 7)
    case .report(let report):
      target.store8(Tag.report.rawValue, 0)
      target.store48(report.highest, 1)
      target.store48(report.received, 7)
      target.store48(report.missed, 13)
      target.store48(report.lost, 19)
      target.store32(report.kbps, 25)
      target.store32(report.queueing, 29)
    case .wish(let stream, let wish):
      target.store8(Tag.wish.rawValue, 0)
      target.store32(stream, 1)
      target.store8(wish == nil ? 0 : 1, 5)
      target.store16(wish?.keyFrames ?? 0, 6)
      target.store16(wish?.layers ?? 0, 8)
      target.store32(wish?.share ?? 0, 10)
    case .feed(let stream, let feed):
      target.store8(Tag.feed.rawValue, 0)
      target.store32(stream, 1)
      target.store8(feed.map { $0.wantsArrivals ? 3 : 1 } ?? 0, 5)
    case .arrivals(let report): report.write(to: target, tag: Tag.arrivals.rawValue)
    }
  }

  /// Reads the block at the start of some bytes; returns nil if there is no complete and known one.
  static func read(_ bytes: UnsafeRawBufferPointer) -> ControlBlock? {
    guard let base = bytes.baseAddress, let first = bytes.first, let tag = Tag(rawValue: first) else { return nil }
    switch tag {
    case .missing:
      guard bytes.count >= missingBytes else { return nil }
      return .missing(first: base.load48(1), mask: base.load64(7))
    case .report:
      guard bytes.count >= reportBytes else { return nil }
      return .report(
        LinkReport(
          highest: base.load48(1), received: base.load48(7), missed: base.load48(13), lost: base.load48(19),
          kbps: base.load32(25), queueing: base.load32(29)))
    case .wish:
      guard bytes.count >= wishBytes else { return nil }
      let wish = StreamWish(keyFrames: base.load16(6), layers: base.load16(8), share: base.load32(10))
      return .wish(stream: base.load32(1), base.load8(5) & 1 != 0 ? wish : nil)
    case .feed:
      guard bytes.count >= feedBytes else { return nil }
      let flags = base.load8(5)
      return .feed(stream: base.load32(1), flags & 1 != 0 ? StreamFeed(wantsArrivals: flags & 2 != 0) : nil)
    case .arrivals: return ArrivalReport.read(bytes).map { .arrivals($0) }
    }
  }
}

/// The fixed part at the start of a control datagram's body.
struct ControlHead: Equatable {
  static let bytes = 38

  /// The sender's clock when it sent this.
  var sentAt: UInt32 = 0
  /// `sentAt` of the newest control datagram that it received, and the microseconds since then.
  var echo: UInt32 = 0
  var echoDelay: UInt32 = 0
  /// The newest control datagram that it received, 0 before the first, and which of the 64 before it: bit n is the number `acknowledged` − 1 − n.
  var acknowledged: UInt64 = 0
  var acknowledgedBefore: UInt64 = 0
  /// The number of the newest datagram of records that it sent.
  var highestSent: UInt64 = 0
  /// The number of its first control datagram since the link was opened. Another one than before shows that it has forgotten all
  /// states.
  var first: UInt64 = 0

  func write(to target: UnsafeMutableRawPointer) {
    target.store32(sentAt, 0)
    target.store32(echo, 4)
    target.store32(echoDelay, 8)
    target.store48(acknowledged, 12)
    target.store64(acknowledgedBefore, 18)
    target.store48(highestSent, 26)
    target.store48(first, 32)
  }

  /// Reads the fixed part; returns nil if the bytes are too few.
  static func read(_ bytes: UnsafeRawBufferPointer) -> ControlHead? {
    guard bytes.count >= Self.bytes, let base = bytes.baseAddress else { return nil }
    return ControlHead(
      sentAt: base.load32(0), echo: base.load32(4), echoDelay: base.load32(8), acknowledged: base.load48(12),
      acknowledgedBefore: base.load64(18), highestSent: base.load48(26), first: base.load48(32))
  }
}
