/// Why a server can't listen on a port.
package enum ListenError: Error, Sendable {
  /// The host is not a numeric address.
  case badAddress(String)
  /// The address can't be bound.
  case unavailable(address: String, reason: String)
}
