import RoomRTMP

/// The hosts and ports by which publish URLs may name this server's own origin.
package struct OwnAddresses: Sendable {
  /// The host that names the origin regardless of its addresses: `rtmp://origin/app/stream`.
  package static let short = "origin"

  /// Configured names in lower case, valid with any port.
  package var names: Set<String> = []
  /// Addresses of this machine, valid with the origin's own port only, because other servers may listen on other ports.
  package var hosts: Set<String> = []
  /// The RTMP port; nil if RTMP is off.
  package var port: UInt16?
  /// The RTMPS port; nil if there is none.
  package var securePort: UInt16?

  /// Creates a list of the short host alone.
  package init() {}

  /// Returns whether a publish URL names this server.
  package func own(_ address: RTMPAddress) -> Bool {
    let host = address.host.lowercased()
    if host == Self.short || names.contains(host) { return true }
    return hosts.contains(host) && address.port == (address.isSecure ? securePort : port)
  }
}
