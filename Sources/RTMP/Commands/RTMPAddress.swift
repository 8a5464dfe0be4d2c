/// The URL to publish a stream to, or to play it from: rtmp://host:port/app/stream?query.
public struct RTMPAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether the connection uses TLS: rtmps.
  public var isSecure: Bool
  /// A host name or an address; an IPv6 address has no brackets.
  public var host: String
  /// The port; the default is 1935, or 443 with TLS.
  public var port: UInt16
  /// The application: the first part of the path, or the first two if there are three or more, as in ffmpeg.
  public var app: String
  /// The stream with its query.
  public var stream: String

  /// Creates an address.
  public init(isSecure: Bool = false, host: String, port: UInt16? = nil, app: String, stream: String) {
    self.isSecure = isSecure
    self.host = host
    self.port = port ?? Self.defaultPort(isSecure)
    self.app = app
    self.stream = stream
  }

  /// Parses a URL. Returns nil if it is not an RTMP URL, lacks an application or a stream, or has invalid characters.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let scheme = text.firstRange(of: "://") else { return nil }
    switch text[..<scheme.lowerBound].lowercased() {
    case "rtmp": isSecure = false
    case "rtmps": isSecure = true
    default: return nil
    }
    let rest = text[scheme.upperBound...]
    guard let slash = rest.firstIndex(of: "/"), let (host, port) = Self.authority(rest[..<slash]) else { return nil }
    guard let (app, stream) = Self.path(rest[rest.index(after: slash)...]) else { return nil }
    self.host = host
    self.port = port ?? Self.defaultPort(isSecure)
    self.app = app
    self.stream = stream
  }

  private static func defaultPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 1935 }

  /// The URL without the stream, as sent in `connect`. The URL has the port only if that is not the default.
  public var tcURL: String {
    let port = port == Self.defaultPort(isSecure) ? "" : ":\(port)"
    return "\(isSecure ? "rtmps" : "rtmp")://\(host.contains(":") ? "[\(host)]" : host)\(port)/\(app)"
  }

  /// The whole URL. The URL may contain a stream key, so don't log it.
  public var description: String { "\(tcURL)/\(stream)" }

  private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
    // A name and password before the host are not supported.
    guard !text.contains("@") else { return nil }
    var host = text
    var port: UInt16?
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      guard text.hasPrefix("[") || text.firstIndex(of: ":") == colon else { return nil }
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
      port = number
      host = text[..<colon]
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]") else { return nil }
      host = host.dropFirst().dropLast()
    }
    return host.isEmpty ? nil : (String(host), port)
  }

  private static func path(_ text: Substring) -> (app: String, stream: String)? {
    let query = text.firstIndex(of: "?") ?? text.endIndex
    let parts = text[..<query].split(separator: "/", omittingEmptySubsequences: true)
    if parts.count >= 2 {
      let appParts = parts.count == 2 ? 1 : 2
      return (parts.prefix(appParts).joined(separator: "/"), parts.dropFirst(appParts).joined(separator: "/") + text[query...])
    }
    // If the stream follows the query, the query belongs to the application: app?vhost=x/stream.
    guard parts.count == 1, let slash = text[query...].lastIndex(of: "/"), text.index(after: slash) < text.endIndex else {
      return nil
    }
    return (String(parts[0]) + text[query..<slash], String(text[text.index(after: slash)...]))
  }
}
