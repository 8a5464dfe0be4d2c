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
  /// The URLs at which the audience plays what is sent there, by a name that the app chooses, such as `flv` or `hls`: at most
  /// 8, of at most 1024 bytes, with `{room}` or `{user}` as placeholders. The addresses are shown to participants.
  public var playUrls: [String: String]?

  /// Creates a policy. The policy is not validated; see ``validationError``.
  public init(
    _ mode: Mode = .own, publishUrl: String? = nil, follow: JobFollow? = nil, playUrls: [String: String]? = nil
  ) {
    self.mode = mode
    self.publishUrl = publishUrl
    self.follow = follow
    self.playUrls = playUrls
  }

  /// What forward jobs show that name neither a user nor a track.
  public var effectiveFollow: JobFollow { follow ?? (mode == .own || isPerUser ? .anchor : .stage) }

  /// The first validation error; nil if the policy is valid.
  public var validationError: String? { publishUrlError ?? playUrlsError }

  private var publishUrlError: String? {
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

  private var playUrlsError: String? {
    guard let playUrls else { return nil }
    if playUrls.count > 8 { return "playUrls: at most 8" }
    for (name, url) in playUrls.sorted(by: { $0.key < $1.key }) {
      if !NameRule.allows(name) { return "playUrls: a name is \(NameRule.text)" }
      if url.utf8.count > 1024 { return "playUrls.\(name): at most 1024 bytes" }
      if url.firstMatch(of: /^[a-z][a-z0-9+.-]*:\/\/[^\s\/]/) == nil {
        return "playUrls.\(name): a URL with a scheme and a host"
      }
    }
    return nil
  }

  /// Whether every publisher has its own broadcast.
  public var isPerUser: Bool { publishUrl?.contains("{user}") ?? false }

  /// Returns the URL for a user of a room, with percent-encoded names; nil for mode `own`.
  public func url(room: RoomName, user: UserID) -> String? {
    guard mode != .own else { return nil }
    return publishUrl?.replacing("{room}", with: Self.escaped(room)).replacing("{user}", with: Self.escaped(user))
  }

  /// Returns ``playUrls`` for a room, with percent-encoded names; nil if there are none.
  /// - Parameters:
  ///   - room: the room for `{room}`.
  ///   - user: the user for `{user}`; without one, URLs with `{user}` are omitted.
  public func playUrls(room: RoomName, user: UserID?) -> [String: String]? {
    let urls = playUrls?.compactMapValues { url -> String? in
      if user == nil, url.contains("{user}") { return nil }
      return url.replacing("{room}", with: Self.escaped(room)).replacing("{user}", with: user.map(Self.escaped) ?? "")
    }
    return urls?.isEmpty == false ? urls : nil
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
