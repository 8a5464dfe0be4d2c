import RoomRTMP
import RoomSRT

/// A publish URL: the destination of a broadcast, and a number that orders jobs with the same URL.
///
/// The query may contain `serialnum=N`. URLs that differ only in it belong to the same broadcast.
public struct PublishURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The destination of a broadcast.
  public enum Destination: Sendable, Hashable {
    /// An `rtmp://` or `rtmps://` URL as given, including `serialnum`, because servers may read it; or an `srt://` URL.
    case server(PushAddress)
    /// `file:NAME`: a recording on this server.
    case file(RecordingName)
  }

  public let destination: Destination
  /// The value of `serialnum`; nil if absent.
  public let serialNumber: Int?
  /// The key of the broadcast: scheme, host, port, path, and the query without `serialnum`. The key may contain a stream key
  /// and must not be logged.
  public let broadcast: String

  /// Returns nil if the text is neither an RTMP URL with application and stream, an SRT URL with a port nor a recording name, or
  /// if its serial number is not a number.
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
    if text.lowercased().hasPrefix("srt://") {
      guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), let (plain, serialNumber) = Self.split(text[...]),
        var address = SRTAddress(plain)
      else { return nil }
      destination = .server(.srt(address))
      self.serialNumber = serialNumber
      address.host = address.host.lowercased()
      broadcast = address.url
      return
    }
    guard let address = RTMPAddress(text), let (stream, serialNumber) = Self.split(address.stream[...]) else { return nil }
    destination = .server(.rtmp(address))
    self.serialNumber = serialNumber
    var plain = address
    plain.host = address.host.lowercased()
    plain.stream = stream
    broadcast = plain.description
  }

  /// Removes `serialnum` from text that may have a query. Returns nil if its value is not a number.
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

  /// The URL as given, or an equivalent one. The URL may contain a stream key and must not be logged.
  public var text: String {
    switch destination {
    case .server(.rtmp(let address)): address.description
    case .server(.srt(let address)): numbered(address.url)
    case .file(let file): numbered("file:\(file)")
    }
  }

  private func numbered(_ url: String) -> String {
    serialNumber.map { "\(url)\(url.contains("?") ? "&" : "?")serialnum=\($0)" } ?? url
  }

  /// Application and stream without the query; nil for SRT and for a recording.
  public var stream: String? {
    guard case .server(.rtmp(let address)) = destination else { return nil }
    return "\(address.app)/\(address.stream.prefix { $0 != "?" })"
  }

  /// Uses ``description``, because `dump` would print the key.
  public var customMirror: Mirror { Mirror(self, children: ["url": description]) }

  /// The URL for logs and lists: without the stream's query or the options of SRT, and with a shortened stream name.
  public var description: String {
    switch destination {
    case .file(let file): return "file:\(file)"
    case .server(.rtmp(let address)):
      return "\(address.tcURL.prefix { $0 != "?" })/\(Self.shortened(address.stream.prefix { $0 != "?" }))"
    case .server(.srt(let address)):
      let resource = SRTStreamID(address.streamID)?.resource ?? ""
      // Servers differ in what separates the name from a key.
      var parts = resource.prefix { !"?&,:;=".contains($0) }.split(separator: "/")
      if let name = parts.popLast() { parts.append(Self.shortened(name)) }
      return "srt://\(address.authority)" + (parts.isEmpty ? "" : "?streamid=\(parts.joined(separator: "/"))")
    }
  }

  private static func shortened(_ name: Substring) -> Substring { name.count > 8 ? name.prefix(4) + "…" : name }
}
