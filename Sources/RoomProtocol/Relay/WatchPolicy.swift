/// Who may watch a room without joining it, and what its watch page shows.
public struct WatchPolicy: Codable, Sendable, Hashable {
  /// Whether anybody may watch the room. Otherwise a viewer needs a room token with the grant `subscribe`.
  public var isPublic: Bool
  /// Whether viewers read the messages to all.
  public var chat: Bool
  /// Whether viewers see their number.
  public var viewers: Bool

  /// Creates a policy.
  public init(isPublic: Bool = false, chat: Bool = false, viewers: Bool = true) {
    self.isPublic = isPublic
    self.chat = chat
    self.viewers = viewers
  }

  private enum CodingKeys: String, CodingKey {
    case isPublic = "public"
    case chat, viewers
  }

  /// Decodes a policy; absent members have their defaults.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    isPublic = try members.decodeIfPresent(Bool.self, forKey: .isPublic) ?? isPublic
    chat = try members.decodeIfPresent(Bool.self, forKey: .chat) ?? chat
    viewers = try members.decodeIfPresent(Bool.self, forKey: .viewers) ?? viewers
  }
}
