/// The highest temporal layer of a VP8 stream that a subscription gets.
enum TemporalLimit: UInt8, BitwiseCopyable, Comparable {
  /// Layer 0 alone.
  case base
  /// Layers 0 and 1.
  case middle
  /// All layers. Streams without temporal layers have no other limit.
  case all

  /// The number of limits that leave something out.
  static let count = 2

  /// The position in a pair of values, one for each limit that leaves something out.
  @inline(__always) var index: Int { Int(rawValue) }

  /// Returns whether a packet of this layer is within the limit.
  @inline(__always) func allows(_ layer: UInt8) -> Bool { layer <= rawValue }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The place of a VP8 packet in the streams without the upper temporal layers, one for each limit that leaves something out.
///
/// It never changes once a later packet has its own: numbers and picture ids of what was sent follow from it. So a number that
/// was given to a missing packet remains, even if that packet turns out to be one to leave out.
struct TemporalPlace: BitwiseCopyable {
  /// The packets before this one that the limit leaves out, modulo 2¹⁶.
  var leftOut = SIMD2<UInt16>()
  /// The picture id in a stream of consecutive ids, modulo 2¹⁵.
  var pictures = SIMD2<UInt16>()
  /// The temporal layer: 0, 1, or 2 for all above.
  var layer: UInt8 = 0
  var flags = Flags()

  struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt8
    /// The place is known: the packet arrived when the stream was known to have temporal layers.
    static let isCounted = Flags(rawValue: 1)
    /// No packet with a higher number had arrived before.
    static let isInOrder = Flags(rawValue: 2)
    static let startsFrame = Flags(rawValue: 4)
    /// The frame refers only to layer 0.
    static let isSync = Flags(rawValue: 8)

    /// The packet has a number under this limit.
    @inline(__always) static func hasNumber(_ index: Int) -> Flags { Flags(rawValue: 16 << UInt8(truncatingIfNeeded: index)) }
    /// The packet itself is sent under this limit; an empty one fills the number of any other.
    @inline(__always) static func isSent(_ index: Int) -> Flags { Flags(rawValue: 64 << UInt8(truncatingIfNeeded: index)) }
  }

  @inline(__always) func hasNumber(_ limit: TemporalLimit) -> Bool { flags.contains(.hasNumber(limit.index)) }
  @inline(__always) func isSent(_ limit: TemporalLimit) -> Bool { flags.contains(.isSent(limit.index)) }
}
