/// Which servers a client of `wss://` speaks with.
package enum ServerTrust: Sendable, Hashable {
  /// Those whose certificate one of the system's authorities has signed.
  case system
  /// Those whose certificate is in this PEM file, or was signed by one that is.
  case authorities(path: String)
  /// Any.
  case anybody
}
