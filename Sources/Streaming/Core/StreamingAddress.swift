import Foundation
import RoomRTMP
import RoomSRT

/// Where a URL pushes to, and by which protocol.
enum StreamingAddress: Sendable, Hashable {
  case rtmp(RTMPAddress)
  case srt(SRTAddress)
  /// An endpoint of WHIP (RFC 9725).
  case whip(URL)

  /// - Throws: ``StreamingFailure/invalidURL(_:)``
  init(_ text: String) throws(StreamingFailure) {
    if let address = RTMPAddress(text) {
      self = .rtmp(address)
    } else if let address = SRTAddress(text) {
      self = .srt(address)
    } else if let url = Self.endpoint(text) {
      self = .whip(url)
    } else {
      // A query may be a key.
      throw .invalidURL(String(text.prefix { $0 != "?" && $0 != "#" }.prefix(200)))
    }
  }

  func isSameProtocol(as other: Self) -> Bool {
    switch (self, other) {
    case (.rtmp, .rtmp), (.srt, .srt), (.whip, .whip): true
    default: false
    }
  }

  private static func endpoint(_ text: String) -> URL? {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let url = URL(string: text),
      ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host(), !host.isEmpty
    else { return nil }
    return url
  }
}
