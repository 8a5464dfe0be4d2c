public import RTMP

/// A publish URL: where a broadcast goes, and which of several jobs with one URL is the newer.
///
/// `serialnum=N` may stand in its query. Two URLs that differ in nothing else are one broadcast's.
public struct PublishURL: Sendable, Hashable, CustomStringConvertible {
  /// As given, `serialnum` included: servers may read it.
  public let address: RTMPAddress
  /// The number of `serialnum`; nil where there is none.
  public let serialNumber: Int?
  /// What names the broadcast: scheme, host, port and path, and all of the query but `serialnum`. It may hold a stream key: not for
  /// logs.
  public let broadcast: String

  /// Nil where the text is no RTMP URL with application and stream, or its serial number is no number.
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, let address = RTMPAddress(text) else { return nil }
    self.address = address
    var serialNumber: Int?
    var stream = Substring(address.stream)
    if let question = stream.firstIndex(of: "?") {
      var kept: [Substring] = []
      for part in stream[stream.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false) {
        guard part.hasPrefix("serialnum=") else {
          kept.append(part)
          continue
        }
        guard serialNumber == nil, let number = Int(part.dropFirst("serialnum=".count)), number >= 0 else { return nil }
        serialNumber = number
      }
      stream = kept.isEmpty ? stream[..<question] : stream[...question] + kept.joined(separator: "&")
    }
    self.serialNumber = serialNumber
    var plain = address
    plain.host = address.host.lowercased()
    plain.stream = String(stream)
    broadcast = plain.description
  }

  /// For logs and lists: without the stream's query, and with the stream's name cut short.
  public var description: String {
    let name = address.stream.prefix { $0 != "?" }
    return "\(address.tcURL.prefix { $0 != "?" })/\(name.count > 8 ? name.prefix(4) + "…" : name)"
  }
}
