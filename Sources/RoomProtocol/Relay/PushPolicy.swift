/// Where a room's forward jobs go, and who begins them.
public struct PushPolicy: Codable, Sendable, Hashable {
  /// Who names the URL and begins the jobs.
  public enum Mode: String, Codable, Sendable, Hashable, CaseIterable {
    /// Each job names its own URL.
    case own
    /// Jobs go to the room's own URL, begun and stopped by a call.
    case manual
    /// The server itself begins a job to the room's own URL as soon as somebody publishes.
    case auto
  }

  public var mode: Mode
  /// The URL of `manual` and `auto`, with the places `{room}` and `{user}`. With `{user}` everyone who publishes has a broadcast;
  /// without it the first who does.
  public var publishUrl: String?

  public init(_ mode: Mode = .own, publishUrl: String? = nil) {
    self.mode = mode
    self.publishUrl = publishUrl
  }

  /// What is wrong with it; nil where nothing is.
  public var complaint: String? {
    switch (mode, publishUrl) {
    case (.own, nil): nil
    case (.own, _): "publishUrl: with mode own each job names its URL"
    case (_, nil): "publishUrl: mode \(mode.rawValue) needs a URL, such as rtmp://cdn.example/live/{room}"
    case (_, let url?):
      url.contains("{room}") || url.contains("{user}")
        ? url.utf8.count <= 1024 ? nil : "publishUrl: at most 1024 bytes"
        : "publishUrl: {room} or {user} is needed in it, so that rooms do not share a broadcast"
    }
  }

  /// Whether everyone who publishes has a broadcast of their own.
  public var isPerUser: Bool { publishUrl?.contains("{user}") ?? false }

  /// The URL for a user of a room; nil with mode `own`.
  public func url(room: RoomName, user: UserID) -> String? {
    guard mode != .own else { return nil }
    return publishUrl?.replacing("{room}", with: Self.escaped(room)).replacing("{user}", with: Self.escaped(user))
  }

  /// Percent encoding of what is not unreserved in a URL (RFC 3986 §2.3).
  private static func escaped(_ identifier: some Identifier) -> String {
    var result = ""
    for byte in identifier.rawValue.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

extension PushPolicy: CustomStringConvertible, CustomReflectable {
  /// Without the URL's query, which may hold a key.
  public var description: String {
    publishUrl.map { "\(mode.rawValue) to \($0.prefix { $0 != "?" })" } ?? mode.rawValue
  }

  public var customMirror: Mirror { Mirror(self, children: ["policy": description]) }
}
