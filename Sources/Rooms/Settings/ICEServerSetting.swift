import RoomDigests
import Foundation
public import RoomLiveOrigin
public import RoomProtocol

/// A STUN or TURN server that clients receive, and how they authenticate.
///
/// The server itself never uses it: it serves clients that can't reach the media ports.
public struct ICEServerSetting: Sendable, Hashable {
  /// The credentials that a TURN server requires.
  public enum Access: Sendable, Hashable {
    /// None: STUN.
    case open
    /// The same user name and password for all clients.
    case account(username: String, credential: Secret)
    /// Credentials created per client, valid for `lifetime`, from a secret shared with the TURN server. coturn calls this
    /// `use-auth-secret` ("A REST API For Access To TURN Services", draft-uberti-behave-turn-rest-00).
    case secret(Secret, lifetime: Duration = .seconds(86_400))
  }

  /// "stun:…", "stuns:…", "turn:…" and "turns:…" URLs (RFC 7064, RFC 7065) of one server.
  public var urls: [String]
  public var access: Access

  /// Creates a setting from the URLs of one server and its credentials.
  public init(urls: [String], access: Access = .open) {
    self.urls = urls
    self.access = access
  }

  /// Returns the server entry to send to a client.
  /// - Parameters:
  ///   - user: the client's user; a generated user name ends with it, so that the TURN server's log shows the client.
  ///   - now: the start of the lifetime.
  public func serverEntry(for user: UserID, at now: Date = Date()) -> ICEServer {
    switch access {
    case .open: return ICEServer(urls: urls)
    case .account(let username, let credential):
      return ICEServer(urls: urls, username: username, credential: credential.value)
    case .secret(let secret, let lifetime):
      let expiry = Int64(now.timeIntervalSince1970) + lifetime.components.seconds
      let username = "\(expiry):\(user)"
      return ICEServer(urls: urls, username: username, credential: Self.credential(username, secret: secret.value))
    }
  }

  /// Returns base64(HMAC-SHA1(secret, username)).
  private static func credential(_ username: String, secret: String) -> String {
    Data(Digest.sha1.hmac(of: username.utf8, key: secret.utf8)).base64EncodedString()
  }

  /// The validation error message; nil if the setting is valid.
  package var validationError: String? {
    guard !urls.isEmpty else { return "an ICE server needs a URL" }
    for url in urls {
      guard let scheme = url.split(separator: ":").first, ["stun", "stuns", "turn", "turns"].contains(scheme),
        url.utf8.count > scheme.utf8.count + 1, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
      else { return "\(url.shownURL) is not a stun:, stuns:, turn: or turns: URL" }
      if scheme.hasPrefix("turn"), case .open = access { return "\(url) needs a secret, or a user name and a credential" }
    }
    switch access {
    case .secret(let secret, let lifetime):
      if secret.isEmpty { return "the secret of \(urls[0]) is empty" }
      if lifetime < .seconds(1) { return "the credentials for \(urls[0]) would expire as soon as they are created" }
    case .open, .account: break
    }
    return nil
  }
}
