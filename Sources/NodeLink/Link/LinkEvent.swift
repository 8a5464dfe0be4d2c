/// What the owner of a link is informed of.
public enum LinkEvent: Hashable, Sendable {
  /// Datagrams of the other node arrive: for the first time, or again.
  case live
  /// Nothing authentic has arrived for 1 s.
  case silent
  /// Nothing authentic has arrived for 5 s. The link sends no records until it is live again.
  case dead
  /// The other node wants this of a stream.
  case wished(stream: UInt32, StreamWish)
  /// The other node closed a stream.
  case unwished(stream: UInt32)
  /// The other node has this node's wish; the first time after it was closed or unknown.
  case opened(stream: UInt32)
  /// The other node knows that this node wants the stream no more. Its number is free.
  case closed(stream: UInt32)
  /// The other node sends a stream.
  case began(stream: UInt32)
  /// The other node has stopped sending a stream.
  case ended(stream: UInt32)
  /// The number of wanted streams that are held back has changed to this one.
  case held(Int)
}

/// Whether datagrams of the other node arrive.
public enum LinkLiveness: Hashable, Sendable {
  /// None has arrived since the link was opened.
  case waiting
  case live, silent, dead
}
