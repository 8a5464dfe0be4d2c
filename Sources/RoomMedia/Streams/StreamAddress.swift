import Foundation
import RoomRTMP

/// The parts of a live stream's URL.
enum StreamAddress: Sendable, Hashable {
  case rtmp(RTMPAddress)
  case flv(HTTPAddress)

  /// The parts of an HTTP URL.
  struct HTTPAddress: Sendable, Hashable {
    var host: String
    var port: Int
    var isSecure: Bool
    /// The path with the query.
    var path: String
    /// The value of the `Host` header.
    var hostField: String
  }

  /// - Throws: ``StreamFailure/invalidURL(_:)``
  init(_ text: String) throws(StreamFailure) {
    if let address = RTMPAddress(text) {
      self = .rtmp(address)
    } else if let address = HTTPAddress(text), !address.path.prefix(while: { $0 != "?" }).hasSuffix(".m3u8") {
      self = .flv(address)
    } else {
      throw .invalidURL(String(text.prefix { $0 != "?" && $0 != "#" }.prefix(200)))
    }
  }

  /// Returns the address to which a server redirects, which may be relative to this one; nil if it is not playable, or less
  /// secure than this one.
  func redirected(to location: String) -> StreamAddress? {
    guard case .flv(let address) = self else { return nil }
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      var next = address
      next.path = location
      return .flv(next)
    }
    guard let next = HTTPAddress(location), next.isSecure || !address.isSecure else { return nil }
    return .flv(next)
  }

  var host: String {
    switch self {
    case .rtmp(let address): address.host
    case .flv(let address): address.host
    }
  }

  var port: Int {
    switch self {
    case .rtmp(let address): Int(address.port)
    case .flv(let address): address.port
    }
  }

  var isSecure: Bool {
    switch self {
    case .rtmp(let address): address.isSecure
    case .flv(let address): address.isSecure
    }
  }
}

extension StreamAddress.HTTPAddress {
  init?(_ text: String) {
    // A control character would end the request's line.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let parts = URLComponents(string: text),
      let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty,
      (1...65535).contains(parts.port ?? 1)
    else { return nil }
    isSecure = scheme == "https"
    // Foundation keeps the brackets of an IPv6 literal.
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    port = parts.port ?? (isSecure ? 443 : 80)
    path =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    let literal = self.host.contains(":") ? "[\(self.host)]" : self.host
    hostField = parts.port.map { "\(literal):\($0)" } ?? literal
  }
}
