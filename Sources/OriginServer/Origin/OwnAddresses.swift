import RTMP

/// The hosts and the port that publish URLs may name this server's own origin by.
package struct OwnAddresses: Sendable {
  /// The host that stands for the origin whatever it is reached by: `rtmp://origin/app/stream`.
  static let short = "origin"

  /// Names of the configuration, in lower case: with any port.
  package var names: Set<String> = []
  /// Addresses of this machine: with the origin's own port only, for others may listen on others.
  package var hosts: Set<String> = []
  /// The RTMP port; nil where RTMP is off.
  package var port: UInt16?
  /// The RTMPS port; nil where there is none.
  package var securePort: UInt16?

  /// The short host alone.
  package init() {}

  /// Whether a publish URL leads here.
  package func own(_ address: RTMPAddress) -> Bool {
    let host = address.host.lowercased()
    if host == Self.short || names.contains(host) { return true }
    return hosts.contains(host) && address.port == (address.isSecure ? securePort : port)
  }
}
