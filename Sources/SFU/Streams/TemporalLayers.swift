import RoomRTP

/// Counts, for each temporal limit, the packets and pictures of a VP8 stream that subscribers with this limit do not get.
///
/// A decoder waits for missing picture ids, so what is left out must leave no hole in them, nor in the sequence numbers. The
/// counts are kept once a stream, in the heads of its stored packets; a number under a limit is then the publisher's number less
/// the count.
///
/// A later packet's count must not change when a missing one arrives. So the place of a missing packet is decided when a later
/// one arrives:
/// - Pictures of which nothing arrived: TL0PICIDX shows how many are of layer 0; the others may be of layer 1. They count as
///   kept under `middle`, and are sent under it when they arrive.
/// - Packets next to those of an incomplete frame are that frame's. The others count as kept if anything kept may be among
///   them. Those that are not to be kept after all are replaced by empty packets.
struct TemporalLayers: BitwiseCopyable {
  /// The newest picture.
  private struct Picture: BitwiseCopyable {
    var id: UInt16 = 0
    var level0: UInt8 = 0
    var layer: UInt8 = 0
    /// Whether its last packet arrived.
    var isEnded = true
    /// Its id under each limit.
    var ids = SIMD2<UInt16>()

    /// The id that the picture after it has under each limit.
    var nextIDs: SIMD2<UInt16> { ids &+ SIMD2(layer == 0 ? 1 : 0, layer <= 1 ? 1 : 0) }
  }

  /// What a descriptor states about the picture.
  fileprivate struct View {
    var id: UInt16
    var level0: UInt8?
    var layer: UInt8
    var startsFrame: Bool
    var isSync: Bool

    init?(_ descriptor: VP8Descriptor?) {
      guard let descriptor, descriptor.isLongPictureID, let id = descriptor.pictureID else { return nil }
      self.id = id
      level0 = descriptor.temporalLevel0Index
      layer = min(descriptor.temporalLayer ?? 0, 2)
      startsFrame = descriptor.startsFrame
      isSync = descriptor.isLayerSync
    }
  }

  /// The first number that is counted; 0 before a packet with a temporal layer.
  private(set) var since: Int64 = 0
  /// The packets up to the newest that each limit leaves out, modulo 2³².
  private(set) var leftOut = SIMD2<UInt32>()
  /// The highest layer of late.
  private(set) var top: UInt8 = 0
  private var seen: UInt8 = 0
  private var seenBefore: UInt8 = 0
  private var newest = Picture()
  /// The rates under each limit.
  private(set) var base = RateMeter()
  private(set) var middle = RateMeter()

  /// Whether the stream has temporal layers.
  @inline(__always) var isActive: Bool { since != 0 }

  /// Whether this packet shows that the stream has temporal layers that can be left out.
  @inline(__always) static func begins(with descriptor: VP8Descriptor?) -> Bool {
    guard let descriptor else { return false }
    return descriptor.temporalLayer != nil && descriptor.temporalLevel0Index != nil && descriptor.isLongPictureID
  }

  /// The id of the picture after the newest, under this limit.
  func nextPicture(_ limit: TemporalLimit) -> UInt16 { limit == .all ? newest.id &+ 1 : newest.nextIDs[limit.index] }

  /// Ends an interval of the rates. Called about once a second.
  mutating func roll(_ now: Instant) {
    base.roll(now)
    middle.roll(now)
    // A layer may have no frame in one interval.
    top = max(seen, seenBefore)
    seenBefore = seen
    seen = 0
  }

  // MARK: Packets

  /// Gives a stored packet its place. Part of the packet path: allocates nothing.
  /// - Parameters:
  ///   - hole: what the ring had in the place of the packet, if it was missing (`hole(in:)`).
  ///   - highest: the highest number before this packet.
  mutating func take(
    _ packet: UnsafeMutablePointer<StoredPacket>, _ descriptor: VP8Descriptor?, hole: StoredPacket?, after highest: Int64,
    in ring: PacketRing
  ) {
    let view = View(descriptor)
    if packet.pointee.sequence > highest {
      var previous = highest
      if since == 0 {
        guard let view else { return }
        begin(view, at: packet.pointee.sequence)
        previous = packet.pointee.sequence - 1
      }
      takeNewest(packet, view, after: previous, in: ring)
    } else if let hole {
      takeLate(packet, view, hole)
    }
    let layer = packet.pointee.temporal.layer
    top = max(top, layer)
    seen = max(seen, layer)
    if layer == 0 { base.add(bytes: Int(packet.pointee.length)) }
    if layer <= 1 { middle.add(bytes: Int(packet.pointee.length)) }
  }

  private mutating func begin(_ view: View, at sequence: Int64) {
    since = sequence
    newest.id = view.id &- 1
    newest.ids = SIMD2(repeating: view.id &- 1)
    newest.level0 = view.level0.map { view.layer == 0 ? $0 &- 1 : $0 } ?? 0
  }

  private mutating func takeNewest(
    _ packet: UnsafeMutablePointer<StoredPacket>, _ view: View?, after previous: Int64, in ring: PacketRing
  ) {
    let sequence = packet.pointee.sequence
    var place = TemporalPlace()
    place.flags = [.isCounted, .isInOrder]
    guard let view else {
      // Padding between frames, or another codec.
      if sequence > previous + 1 {
        leaveHoles(previous + 1..<sequence, before: nil, missing: Self.anyNumber, base: 1, in: ring)
      }
      for index in 0..<TemporalLimit.count { place.flags.formUnion([.hasNumber(index), .isSent(index)]) }
      place.leftOut = SIMD2(truncatingIfNeeded: leftOut)
      packet.pointee.temporal = place
      newest.isEnded = true
      return
    }
    let step = (view.id &- newest.id) & 0x7FFF
    // An encoder that starts anew has other ids.
    let missing = step == 0 || step >= 0x4000 ? 0 : step - 1
    let missingBase = Self.basePictures(among: missing, since: newest.level0, view)
    if sequence > previous + 1 {
      leaveHoles(previous + 1..<sequence, before: view, missing: missing, base: missingBase, in: ring)
    }
    if step != 0 {
      newest.ids = newest.nextIDs &+ SIMD2(missingBase, missing)
      countFrame(view)
    }
    newest.id = view.id
    newest.level0 = view.level0 ?? newest.level0
    newest.layer = view.layer
    newest.isEnded = packet.pointee.flags.contains(.marker)

    place.leftOut = SIMD2(truncatingIfNeeded: leftOut)
    place.pictures = newest.ids
    place.describe(view)
    for index in 0..<TemporalLimit.count {
      if view.layer <= index {
        place.flags.formUnion([.hasNumber(index), .isSent(index)])
      } else {
        leftOut[index] &+= 1
      }
    }
    packet.pointee.temporal = place
  }

  private mutating func countFrame(_ view: View) {
    if view.layer == 0 { base.addFrame() }
    if view.layer <= 1 { middle.addFrame() }
  }

  /// Returns how many of the pictures that are missing before this one are of layer 0.
  private static func basePictures(among missing: UInt16, since level0: UInt8, _ view: View) -> UInt16 {
    guard let next = view.level0 else { return missing }
    return min(missing, UInt16(next &- level0 &- (view.layer == 0 ? 1 : 0)))
  }

  // MARK: Missing packets

  /// More than the missing pictures between two packets can be.
  private static let anyNumber: UInt16 = 0x3FFF

  /// Decides the places of the missing packets before one with this view; nil for one without a picture.
  /// - Parameters:
  ///   - missing: the number of pictures of which nothing arrived.
  ///   - base: the part of them that is of layer 0.
  private mutating func leaveHoles(
    _ numbers: Range<Int64>, before view: View?, missing: UInt16, base: UInt16, in ring: PacketRing
  ) {
    var isAllOut = SIMD2<UInt8>()
    var isFirstOut = SIMD2<UInt8>()
    var isLastOut = SIMD2<UInt8>()
    // Whether the first number certainly belongs to the picture before, and the last one to the picture after.
    let isTail = !newest.isEnded
    let isHead = view.map { !$0.startsFrame } ?? false
    let isOne = numbers.count == 1
    for index in 0..<TemporalLimit.count {
      let keepsTail = newest.layer <= index
      let keepsHead = view.map { $0.layer <= index } ?? true
      if let view, view.id == newest.id {
        isAllOut[index] = keepsTail ? 0 : 1
        continue
      }
      let keepsMissing = index == 0 ? base > 0 : missing > 0
      let keepsSome = keepsMissing || isTail && keepsTail || isHead && keepsHead
      // Without an owner they may be padding, or the marker was wrong.
      isAllOut[index] = !keepsSome && (isTail || isHead || missing > 0) ? 1 : 0
      isFirstOut[index] = isTail && !keepsTail && !(isOne && isHead) ? 1 : 0
      isLastOut[index] = isHead && !keepsHead && !(isOne && isTail) ? 1 : 0
    }
    // The ring has no place for more.
    let start = max(numbers.lowerBound, numbers.upperBound - Int64(ring.capacity) + 1)
    if start > numbers.lowerBound {
      let count = UInt32(truncatingIfNeeded: start - numbers.lowerBound)
      for index in 0..<TemporalLimit.count { leftOut[index] &+= isAllOut[index] != 0 ? count : UInt32(isFirstOut[index]) }
    }
    for number in start..<numbers.upperBound {
      var place = TemporalPlace()
      place.flags = .isCounted
      place.leftOut = SIMD2(truncatingIfNeeded: leftOut)
      place.pictures = newest.nextIDs
      for index in 0..<TemporalLimit.count {
        let isOut =
          isAllOut[index] != 0 || isFirstOut[index] != 0 && number == numbers.lowerBound
          || isLastOut[index] != 0 && number == numbers.upperBound - 1
        if isOut { leftOut[index] &+= 1 } else { place.flags.insert(.hasNumber(index)) }
      }
      let hole = ring.place(number)
      hole.pointee = StoredPacket(sequence: ~number, timestamp: 0, length: missing, codec: 0, flags: [], audioLevel: 0)
      hole.pointee.picture = newest.id
      hole.pointee.level0 = newest.level0
      hole.pointee.temporal = place
    }
  }

  /// Returns what was decided about a missing packet, from the place in the ring that is now its own; nil if nothing was.
  @inline(__always) static func hole(of sequence: Int64, in slot: UnsafeMutablePointer<StoredPacket>) -> StoredPacket? {
    slot.pointee.sequence == ~sequence ? slot.pointee : nil
  }

  private mutating func takeLate(_ packet: UnsafeMutablePointer<StoredPacket>, _ view: View?, _ hole: StoredPacket) {
    var place = hole.temporal
    let ids = place.pictures
    var sends = SIMD2<UInt8>(repeating: 1)
    if let view {
      place.describe(view)
      let step = (view.id &- hole.picture) & 0x7FFF
      if step == 0 {
        // More of the picture before.
        place.pictures = ids &- SIMD2(view.layer == 0 ? 1 : 0, view.layer <= 1 ? 1 : 0)
        sends = SIMD2(view.layer == 0 ? 1 : 0, view.layer <= 1 ? 1 : 0)
      } else if step <= hole.length &+ 1 {
        if view.startsFrame, step <= hole.length { countFrame(view) }
        let between = step - 1
        place.pictures = ids &+ SIMD2(Self.basePictures(among: between, since: hole.level0, view), between)
        sends = SIMD2(view.layer == 0 ? 1 : 0, view.layer <= 1 || step <= hole.length ? 1 : 0)
      } else {
        sends = SIMD2()
      }
    }
    for index in 0..<TemporalLimit.count where sends[index] != 0 && place.flags.contains(.hasNumber(index)) {
      place.flags.insert(.isSent(index))
    }
    packet.pointee.temporal = place
  }
}

extension TemporalPlace {
  fileprivate mutating func describe(_ view: TemporalLayers.View) {
    layer = view.layer
    if view.startsFrame { flags.insert(.startsFrame) }
    if view.isSync { flags.insert(.isSync) }
  }
}

// MARK: - Numbers under a limit

extension TrackSlot {
  /// The measured rates of what a limit keeps.
  @inline(__always) func rate(_ limit: TemporalLimit) -> RateMeter {
    switch limit {
    case .base: temporal.base
    case .middle: temporal.middle
    case .all: rate
    }
  }

  /// Returns the packets before a counted one that the limit leaves out, modulo 2³².
  @inline(__always) func leftOut(before packet: StoredPacket, _ limit: TemporalLimit) -> UInt32 {
    guard limit != .all else { return 0 }
    // The ring keeps 16 bits. What is in the ring is close to the newest.
    let total = temporal.leftOut[limit.index]
    return total &- UInt32(UInt16(truncatingIfNeeded: total) &- packet.temporal.leftOut[limit.index])
  }

  /// Returns the packets before this number that the limit leaves out, modulo 2³²; nil if they are not known: the ring has no
  /// place for the number any more, or temporal layers were not known yet.
  func leftOut(before sequence: Int64, _ limit: TemporalLimit) -> UInt32? {
    guard limit != .all else { return 0 }
    guard temporal.isActive, sequence >= temporal.since else { return nil }
    guard sequence <= highest else { return temporal.leftOut[limit.index] }
    let packet = ring.place(sequence)
    guard packet.pointee.sequence == sequence || packet.pointee.sequence == ~sequence,
      packet.pointee.temporal.flags.contains(.isCounted)
    else { return nil }
    return leftOut(before: packet.pointee, limit)
  }

  /// Returns the number of the packet that a limit gives a place in a range of numbers; nil if the ring does not have it.
  /// - Parameters:
  ///   - place: The number that the packet would have if the limit had left out nothing since `leftOut`.
  func number(at place: Int64, since leftOut: UInt32, _ limit: TemporalLimit) -> Int64? {
    guard limit != .all else { return place }
    func placed(_ sequence: Int64) -> Int64? {
      self.leftOut(before: sequence, limit).map { sequence &- Int64($0 &- leftOut) }
    }
    // Places ascend with numbers; those that are left out have that of the next packet that is kept.
    var low = max(place, highest &- Int64(ring.capacity) &+ 1)
    var high = highest
    guard low <= high else { return nil }
    while low < high {
      let middle = low + (high - low + 1) / 2
      guard let current = placed(middle) else { return nil }
      if current <= place { low = middle } else { high = middle - 1 }
    }
    return placed(low) == place ? low : nil
  }

  /// Returns the picture id after the newest one under a limit.
  func nextPicture(_ limit: TemporalLimit) -> UInt16 {
    temporal.isActive ? temporal.nextPicture(limit) : lastPicture &+ 1
  }

  /// Returns the highest limit under which a subscriber that wants at most so many frames a second gets no more; 0 for any.
  func limit(framesPerSecond: UInt16) -> TemporalLimit {
    guard framesPerSecond > 0, temporal.isActive else { return .all }
    let most = Int(framesPerSecond) + SubscriptionSlot.Limits.tolerance
    return [.all, .middle].first { rate($0).framesPerSecond <= most } ?? .base
  }
}
