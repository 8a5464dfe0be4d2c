import Foundation

/// The address of an SRT server: `srt://host:port?streamid=…&passphrase=…&latency=…`.
public struct SRTAddress: Sendable, Hashable {
  public var host: String
  public var port: UInt16
  /// The stream id; at most 512 bytes.
  public var streamID = ""
  /// The secret of the encryption, 10…79 bytes; nil sends without encryption.
  public var passphrase: String?
  /// The length of the key in bytes: 16, 24 or 32; 0 lets the library choose.
  public var keyLength = 0
  /// How long the receiver waits for a packet to be sent again, in milliseconds: 20…10,000.
  public var latency = defaultLatency

  private static let defaultLatency = 500

  /// Parses a URL. Values may be percent-encoded: `%23!::r=live%2Fstudio,m=publish`. Returns nil for another scheme, without a port,
  /// for a value out of range, and for another mode than `caller`.
  public init?(_ text: String) {
    guard text.lowercased().hasPrefix("srt://"), text.utf8.count <= 4096 else { return nil }
    let parts = text.dropFirst(6).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = parts[0].prefix { $0 != "/" }
    guard let colon = authority.lastIndex(of: ":"), let port = UInt16(authority[authority.index(after: colon)...]), port > 0
    else { return nil }
    host = authority[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x40 }) else { return nil }
    for pair in parts.dropFirst().joined().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding else { return nil }
      switch parts[0] {
      case "streamid": streamID = value
      case "passphrase": passphrase = value
      case "pbkeylen":
        guard let length = Int(value), [0, 16, 24, 32].contains(length) else { return nil }
        keyLength = length
      case "latency":
        guard let time = Int(value), (20...10_000).contains(time) else { return nil }
        latency = time
      case "mode": guard value == "caller" else { return nil }
      default: break
      }
    }
    guard streamID.utf8.count <= 512, passphrase.map({ (10...79).contains($0.utf8.count) }) ?? true else { return nil }
  }

  /// The host and the port: "example.org:9000", "[::1]:9000".
  public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// The whole URL, with the options in a fixed order. The URL may contain secrets, so don't log it.
  public var url: String {
    var options: [String] = []
    if !streamID.isEmpty { options.append("streamid=\(Self.escaped(streamID))") }
    if let passphrase { options.append("passphrase=\(Self.escaped(passphrase))") }
    if keyLength != 0 { options.append("pbkeylen=\(keyLength)") }
    if latency != Self.defaultLatency { options.append("latency=\(latency)") }
    return "srt://\(authority)" + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }

  private static func escaped(_ text: String) -> String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:,!="
    return text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain)) ?? ""
  }
}
