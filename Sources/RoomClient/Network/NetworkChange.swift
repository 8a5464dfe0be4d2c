/// A change of the address from which this machine reaches the server.
public struct NetworkChange: Sendable, Hashable {
  /// The local address before the change, without a port, such as "192.0.2.1".
  public let from: String
  /// The local address now.
  public let to: String
}

/// What the client does when the machine's network changes, such as from Wi-Fi to a cable.
public enum NetworkChangePolicy: Sendable {
  /// The client moves media and signalling to the new address at once.
  case follow
  /// The client does nothing by itself; the app may call ``Room/networkChanged()``. A path that no longer works is noticed
  /// after some seconds.
  case ignore
  /// The client calls the closure, and moves only if it returns true. Changes that occur meanwhile are combined into one.
  case ask(@Sendable (NetworkChange) async -> Bool)
}
