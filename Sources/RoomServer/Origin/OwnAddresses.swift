import LiveOrigin
import RTMP

/// The hosts and the port that publish URLs may name this server's own origin by.
struct OwnAddresses: Sendable {
  /// The host that stands for the origin whatever it is reached by: `rtmp://origin/app/stream`.
  static let short = "origin"

  /// Names of the configuration, in lower case: with any port.
  var names: Set<String> = []
  /// Addresses of this machine: with the origin's own port only, for others may listen on others.
  var hosts: Set<String> = []
  /// The RTMP port; nil where RTMP is off.
  var port: UInt16?
  /// The RTMPS port; nil where there is none.
  var securePort: UInt16?

  /// Whether a publish URL leads here.
  func own(_ address: RTMPAddress) -> Bool {
    let host = address.host.lowercased()
    if host == Self.short || names.contains(host) { return true }
    return hosts.contains(host) && address.port == (address.isSecure ? securePort : port)
  }
}

extension OwnAddresses {
  /// What the configuration says of where the server is reached.
  init(_ configuration: ServerConfiguration, port: UInt16?, securePort: UInt16?) {
    names = Set(configuration.origin.names.map { $0.lowercased() })
    let bound = [configuration.origin.host ?? configuration.host] + configuration.media.announced
    hosts = Set(["localhost", "127.0.0.1", "::1"] + bound.map { $0.lowercased() })
    self.port = port
    self.securePort = securePort
  }
}
