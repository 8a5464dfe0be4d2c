/// A STUN or TURN server that clients may use on their way to the media ports; as W3C's `RTCIceServer` has it, so that a
/// browser can take it as it is.
public struct ICEServer: Codable, Sendable, Hashable {
  /// "stun:host:port" (RFC 7064), "turn:host:port?transport=tcp" (RFC 7065); at least one.
  public var urls: [String]
  /// With TURN; absent with STUN.
  public var username: String?
  /// The password to `username`.
  public var credential: String?

  /// See the properties.
  public init(urls: [String], username: String? = nil, credential: String? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}
