extension RedundantAudio.Block {
  /// What a receiver knows of a packet that arrived.
  public struct Neighbour {
    public var timestamp: UInt32
    /// Whether it has no payload: padding, with which libwebrtc probes the path, also between audio packets.
    public var isEmpty: Bool

    @inlinable public init(timestamp: UInt32, isEmpty: Bool) {
      self.timestamp = timestamp
      self.isEmpty = isEmpty
    }
  }

  /// The maximum distance, in packets, of a copy's number from the packet's.
  public static var longestReach: Int64 { 32 }

  /// Returns the sequence number of the missing packet of which this block is a copy; nil if none is missing there.
  ///
  /// Copies are of consecutive packets, so the number follows from the block's position, without packets that are known to be
  /// empty. The timestamps of the neighbours must agree: a sender may leave out a packet.
  /// - Parameters:
  ///   - number: the sequence number of the packet that carries the copy, unwrapped.
  ///   - timestamp: the timestamp of the copied packet.
  ///   - arrived: returns the packet of a number if it arrived.
  @inlinable public func missingNumber(
    before number: Int64, timestamp: UInt32, arrived: (Int64) -> Neighbour?
  ) -> Int64? {
    guard !isPrimary, !data.isEmpty, timestampOffset > 0 else { return nil }
    var missing = number
    var left = distance
    while left > 0 {
      missing -= 1
      guard number - missing <= Self.longestReach else { return nil }
      if let packet = arrived(missing), packet.isEmpty { continue }
      left -= 1
    }
    guard arrived(missing) == nil else { return nil }
    var next = missing + 1
    while next < number {
      if let after = arrived(next), !after.isEmpty {
        guard Int32(bitPattern: after.timestamp &- timestamp) > 0 else { return nil }
        break
      }
      next += 1
    }
    var previous = missing - 1
    while previous >= missing - Self.longestReach {
      if let before = arrived(previous), !before.isEmpty {
        guard Int32(bitPattern: timestamp &- before.timestamp) > 0 else { return nil }
        break
      }
      previous -= 1
    }
    return missing
  }
}
