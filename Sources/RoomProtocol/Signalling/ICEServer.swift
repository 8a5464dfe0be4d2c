/// A STUN or TURN server for the connection to the media ports, in the form of the W3C's `RTCIceServer`.
public struct ICEServer: Codable, Sendable, Hashable {
  /// The URLs, at least one: "stun:host:port" (RFC 7064) or "turn:host:port?transport=tcp" (RFC 7065).
  public var urls: [String]
  /// The user name for TURN; nil for STUN.
  public var username: String?
  /// The password for `username`.
  public var credential: String?

  /// Creates the description of a server.
  public init(urls: [String], username: String? = nil, credential: String? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}
