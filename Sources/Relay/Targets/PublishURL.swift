public import RTMP

/// A publish URL: where a broadcast goes, and which of several jobs with one URL is the newer.
///
/// `serialnum=N` may stand in its query. Two URLs that differ in nothing else are one broadcast's.
public struct PublishURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Where a broadcast goes.
  public enum Destination: Sendable, Hashable {
    /// `rtmp://` or `rtmps://`, as given, `serialnum` included: servers may read it.
    case server(RTMPAddress)
    /// `file:NAME`: a recording of this server.
    case file(RecordingName)
  }

  public let destination: Destination
  /// The number of `serialnum`; nil where there is none.
  public let serialNumber: Int?
  /// What names the broadcast: scheme, host, port and path, and all of the query but `serialnum`. It may hold a stream key: not for
  /// logs.
  public let broadcast: String

  /// Nil where the text is no RTMP URL with application and stream and no recording's name, or its serial number is no number.
  public init?(_ text: String) {
    guard text.utf8.count <= 2048 else { return nil }
    if text.hasPrefix("file:") {
      guard let (name, serialNumber) = Self.split(text.dropFirst("file:".count)), let file = RecordingName(name) else {
        return nil
      }
      destination = .file(file)
      self.serialNumber = serialNumber
      broadcast = "file:\(file)"
      return
    }
    guard let address = RTMPAddress(text), let (stream, serialNumber) = Self.split(address.stream[...]) else { return nil }
    destination = .server(address)
    self.serialNumber = serialNumber
    var plain = address
    plain.host = address.host.lowercased()
    plain.stream = stream
    broadcast = plain.description
  }

  /// Takes `serialnum` out of what may have a query; nil where it is no number.
  private static func split(_ text: Substring) -> (String, serialNumber: Int?)? {
    guard let question = text.firstIndex(of: "?") else { return (String(text), nil) }
    var serialNumber: Int?
    var kept: [Substring] = []
    for part in text[text.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false) {
      guard part.hasPrefix("serialnum=") else {
        kept.append(part)
        continue
      }
      guard serialNumber == nil, let number = Int(part.dropFirst("serialnum=".count)), number >= 0 else { return nil }
      serialNumber = number
    }
    return (String(kept.isEmpty ? text[..<question] : text[...question] + kept.joined(separator: "&")), serialNumber)
  }

  /// As it was given, or as good. It may hold a stream key: not for logs.
  public var text: String {
    switch destination {
    case .server(let address): address.description
    case .file(let file): "file:\(file)" + (serialNumber.map { "?serialnum=\($0)" } ?? "")
    }
  }

  /// Application and stream, without the query; nil for a recording.
  public var stream: String? {
    guard case .server(let address) = destination else { return nil }
    return "\(address.app)/\(address.stream.prefix { $0 != "?" })"
  }

  /// As ``description``: `dump` would show the key.
  public var customMirror: Mirror { Mirror(self, children: ["url": description]) }

  /// For logs and lists: without the stream's query, and with the stream's name cut short.
  public var description: String {
    switch destination {
    case .file(let file): return "file:\(file)"
    case .server(let address):
      let name = address.stream.prefix { $0 != "?" }
      return "\(address.tcURL.prefix { $0 != "?" })/\(name.count > 8 ? name.prefix(4) + "…" : name)"
    }
  }
}
