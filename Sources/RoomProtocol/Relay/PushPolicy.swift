/// The destination of a room's forward jobs, and whether the server starts them.
public struct PushPolicy: Codable, Sendable, Hashable {
  /// Whether jobs have their own URL or the room's, and whether the server starts them.
  public enum Mode: String, Codable, Sendable, Hashable, CaseIterable {
    /// Each job has its own URL.
    case own
    /// Jobs send to the room's URL. Calls start and stop them.
    case manual
    /// The server starts a job to the room's URL when a participant publishes.
    case auto
  }

  /// The mode.
  public var mode: Mode
  /// The URL for `manual` and `auto`, at most 1024 bytes, with `{room}` or `{user}` as placeholders; nil for `own`.
  ///
  /// With `{user}` every publisher has its own broadcast; without it only the first publisher has one.
  public var publishUrl: String?
  /// What forward jobs show that name neither a user nor a track; nil means `stage` for one broadcast of the room, and `anchor`
  /// if every publisher or every job has its own URL.
  public var follow: JobFollow?

  /// Creates a policy. It is not validated; see ``validationError``.
  public init(_ mode: Mode = .own, publishUrl: String? = nil, follow: JobFollow? = nil) {
    self.mode = mode
    self.publishUrl = publishUrl
    self.follow = follow
  }

  /// What forward jobs show that name neither a user nor a track.
  public var effectiveFollow: JobFollow { follow ?? (mode == .own || isPerUser ? .anchor : .stage) }

  /// The first validation error; nil if the policy is valid.
  public var validationError: String? {
    switch (mode, publishUrl) {
    case (.own, nil): nil
    case (.own, _): "publishUrl: with mode own each job has its own URL"
    case (_, nil): "publishUrl: mode \(mode.rawValue) needs a URL, such as rtmp://cdn.example/live/{room}"
    case (_, let url?):
      url.contains("{room}") || url.contains("{user}")
        ? url.utf8.count <= 1024 ? nil : "publishUrl: at most 1024 bytes"
        : "publishUrl: must contain {room} or {user}, so that rooms do not share a broadcast"
    }
  }

  /// Whether every publisher has its own broadcast.
  public var isPerUser: Bool { publishUrl?.contains("{user}") ?? false }

  /// Returns the URL for a user of a room, with percent-encoded names; nil for mode `own`.
  public func url(room: RoomName, user: UserID) -> String? {
    guard mode != .own else { return nil }
    return publishUrl?.replacing("{room}", with: Self.escaped(room)).replacing("{user}", with: Self.escaped(user))
  }

  /// Percent-encodes all bytes that are not unreserved in a URL (RFC 3986 §2.3).
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
  /// The mode and the URL without its query, which may contain a key.
  public var description: String {
    publishUrl.map { "\(mode.rawValue) to \($0.prefix { $0 != "?" })" } ?? mode.rawValue
  }

  /// A mirror without the URL's query, which may contain a key.
  public var customMirror: Mirror { Mirror(self, children: ["policy": description]) }
}
