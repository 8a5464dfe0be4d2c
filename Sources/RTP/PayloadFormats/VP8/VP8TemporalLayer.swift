/// The place of a VP8 frame among the temporal layers of its stream (RFC 7741 §4.2). A server can leave out the upper layers for
/// receivers that get, or want, fewer frames.
public struct VP8TemporalLayer: Sendable, Hashable {
  /// TID: 0…3. Frames refer to frames of their own layer and those below.
  public var index: UInt8
  /// Y: the frame refers only to layer 0.
  public var isSync: Bool
  /// Not N: later frames may refer to this one.
  public var isReference: Bool

  /// Creates a place; `index` is 0…3.
  public init(index: UInt8, isSync: Bool, isReference: Bool) {
    self.index = index & 3
    self.isSync = isSync
    self.isReference = isReference
  }
}
