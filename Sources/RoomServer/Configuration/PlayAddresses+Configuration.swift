import RoomEngine
import RoomLiveOrigin

extension PlayAddresses {
  /// Creates the addresses of a server that listens on these ports.
  init(_ configuration: ServerConfiguration, port: UInt16, securePort: UInt16?, rtmpPort: UInt16?) {
    let bound = configuration.host
    // All addresses are bound: an announced one is reachable from outside.
    let isAny = bound == "0.0.0.0" || bound == "::"
    let host = (isAny ? configuration.media.announced.first : nil) ?? (isAny ? "127.0.0.1" : bound)
    let own = securePort.map { "https://\(Self.bracketed(host)):\($0)" } ?? "http://\(Self.bracketed(host)):\(port)"
    let http = configuration.publicURL.map { String($0.trimmingSuffix { $0 == "/" }) } ?? own
    let rtmp = configuration.publicRTMPURL.map { String($0.trimmingSuffix { $0 == "/" }) }
    let ownRTMP = rtmpPort.map { "rtmp://\(Self.host(of: http) ?? host)" + ($0 == 1935 ? "" : ":\($0)") }
    self.init(http: http, rtmp: rtmp ?? ownRTMP, protection: configuration.origin.protection)
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// Returns the host of a URL, with the brackets of an IPv6 address.
  private static func host(of url: String) -> String? {
    url.firstMatch(of: /^[a-z]+:\/\/(\[[0-9a-fA-F:.]+\]|[^\/:?#]+)/).map { String($0.1) }
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
    return rest
  }
}
