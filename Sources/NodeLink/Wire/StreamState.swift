/// What the receiving node wants of a stream. It is state: the newest one counts, and the link repeats it until it is
/// acknowledged.
public struct StreamWish: Hashable, Sendable {
  /// Key frame requests so far. Each change is a request.
  public var keyFrames: UInt16
  /// The wanted layers, one bit each.
  public var layers: UInt16
  /// The bitrate that the best subscriber can take, in bps; `.max` for no limit.
  public var share: UInt32

  public init(keyFrames: UInt16 = 0, layers: UInt16 = 1, share: UInt32 = .max) {
    self.keyFrames = keyFrames
    self.layers = layers
    self.share = share
  }
}

/// States that a stream is being sent.
struct StreamFeed: Hashable, Sendable {
  /// Whether the sender understands when each datagram arrived. Nodes of earlier versions do not.
  var wantsArrivals = true
}
