import Foundation
import RoomProtocol

/// A token in LiveKit's grammar: a JWT with HS256 whose header has no `kid`. The claim `iss` names the API key, `sub` the
/// participant, and `video` what it may do.
public struct LiveKitToken: Hashable, Sendable {
  /// The kind of an agent.
  public static let agentKind = "agent"

  /// The API key that signs it.
  public var key: String
  /// Nil for a token of an app server, which joins no room.
  public var identity: ForeignName?
  /// The participant's name, for display.
  public var name = ""
  public var metadata = ""
  public var attributes: [String: String] = [:]
  /// What the participant is: `standard`, `ingress`, `egress`, `sip`, `agent`, …; empty for `standard`.
  public var kind = ""
  public var grants = VideoGrants()
  /// The agents that its room begins with, if the join opens the room.
  public var agents: [RoomAgent] = []
  /// The SHA-256 of a webhook's body, as base64; empty for other tokens.
  public var sha256 = ""
  public var expires: Date
  public var notBefore: Date?
  /// Identifies this token, so that it can be revoked: a part of its signature. A token that this server makes for a client's next
  /// connection has the id of the one that the client joined with. Empty for other tokens that are to be signed.
  public var id = ""

  public init(key: String, identity: ForeignName? = nil, expires: Date, notBefore: Date? = nil) {
    self.key = key
    self.identity = identity
    self.expires = expires
    self.notBefore = notBefore
  }

  /// The token as one of this server's own, to join its room.
  /// - Throws: `wrongPurpose` if it does not join a room, `malformed` if it names no participant or no room.
  public var roomToken: RoomToken {
    get throws(TokenError) {
      guard grants.roomJoin else { throw .wrongPurpose }
      guard let identity else { throw .malformed("it has no sub (identity)") }
      guard let room = grants.room else { throw .malformed("it has no video.room") }
      var own: Grants = []
      if grants.canPublish { own.insert(.publish) }
      if grants.canSubscribe { own.insert(.subscribe) }
      if grants.roomAdmin { own.insert(.admin) }
      if grants.roomRecord { own.insert(.relay) }
      if grants.hidden { own.insert(.hidden) }
      return RoomToken(room: room.room, user: identity.user, grants: own, expires: expires, notBefore: notBefore, id: id)
    }
  }
}

extension TokenKeys {
  /// Maximum length of a LiveKit token in bytes: it may contain metadata.
  public static let maximumLiveKitTokenBytes = 16 * 1024
  /// How far the clock of the maker of a LiveKit token may differ, in seconds.
  public static let liveKitLeeway: Double = 60

  /// Returns whether a token claims to be one of LiveKit's: its header has no `kid`, its issuer is an API key of this server, and
  /// it has `video`. The signature is not verified.
  public func isLiveKitToken(_ text: String) -> Bool {
    guard let token = try? JWT(text, limit: Self.maximumLiveKitTokenBytes), token.header.kid == nil,
      let claims = try? token.claims(LiveKitClaims.Grammar.self)
    else { return false }
    return claims.hasVideo && claims.iss.map { keys.contains($0) } ?? false
  }

  /// Verifies a LiveKit token: form, key, algorithm, signature, `nbf` and `exp` with a leeway.
  public func verifyLiveKit(_ text: String, now: Date = Date()) throws(TokenError) -> LiveKitToken {
    let token = try JWT(text, limit: Self.maximumLiveKitTokenBytes)
    guard token.header.kid == nil else { throw .malformed("its header has a kid, so it is not a LiveKit token") }
    guard let key = try token.claims(LiveKitClaims.Grammar.self).iss else { throw .malformed("it has no iss (API key)") }
    let signature = try token.verify(try secret(of: key))
    let claims = try token.claims(LiveKitClaims.self)
    try JWT.check(expires: claims.exp, notBefore: claims.nbf, now: now, leeway: Self.liveKitLeeway)
    return try claims.token(signedBy: key, signature)
  }

  /// Signs a LiveKit token with its own key.
  /// - Throws: `unknownKey`.
  public func sign(_ token: LiveKitToken) throws(TokenError) -> String {
    try sign(LiveKitClaims(token), header: JWT.Header(alg: "HS256", typ: "JWT"), key: token.key)
  }
}

/// The claims of LiveKit tokens. Times are seconds since 1970.
private struct LiveKitClaims: Codable {
  /// The claims that say which key signs a token, and in which grammar it is.
  struct Grammar: Decodable {
    var iss: String?
    var hasVideo: Bool

    private enum CodingKeys: CodingKey { case iss, video }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      iss = try values.decodeIfPresent(String.self, forKey: .iss)
      hasVideo = values.contains(.video)
    }
  }

  var iss: String?
  var sub: String?
  var jti: String?
  var exp: Double
  var nbf: Double?
  var name: String?
  var metadata: String?
  var attributes: [String: String]?
  var kind: String?
  var video: VideoGrants?
  var roomConfig: RoomConfiguration?
  var sha256: String?

  struct RoomConfiguration: Codable {
    var agents: [RoomAgent]?
  }

  init(_ token: LiveKitToken) {
    iss = token.key
    sub = token.identity?.text
    exp = token.expires.timeIntervalSince1970.rounded(.down)
    // Without a subject this claim is read as the identity, so it is left out.
    jti = token.id.isEmpty || token.identity == nil ? nil : token.id
    nbf = token.notBefore?.timeIntervalSince1970.rounded(.down)
    name = token.name.isEmpty ? nil : token.name
    metadata = token.metadata.isEmpty ? nil : token.metadata
    attributes = token.attributes.isEmpty ? nil : token.attributes
    kind = token.kind.isEmpty ? nil : token.kind
    sha256 = token.sha256.isEmpty ? nil : token.sha256
    roomConfig = token.agents.isEmpty ? nil : RoomConfiguration(agents: token.agents)
    // The token of a webhook proves a body, and permits nothing.
    video = sha256 == nil ? token.grants : nil
  }

  func token(signedBy key: String, _ signature: Data) throws(TokenError) -> LiveKitToken {
    let text = [sub, jti].lazy.compactMap(\.self).first { !$0.isEmpty }
    let identity = text.flatMap { ForeignName($0) }
    guard text == nil || identity != nil else { throw .malformed("its identity has more than 256 bytes") }
    guard video != nil || sha256 != nil else { throw .wrongPurpose }
    var token = LiveKitToken(
      key: key, identity: identity, expires: Date(timeIntervalSince1970: exp),
      notBefore: nbf.map(Date.init(timeIntervalSince1970:)))
    token.name = name ?? ""
    token.metadata = metadata ?? ""
    token.attributes = attributes ?? [:]
    token.kind = kind ?? ""
    token.grants = video ?? Self.none
    token.agents = roomConfig?.agents ?? []
    token.sha256 = sha256 ?? ""
    // Other makers use the claim for names that many tokens share.
    token.id = jti.flatMap { $0.hasPrefix(Self.idPrefix) ? $0 : nil } ?? Self.idPrefix + base64URL(signature.prefix(16))
    return token
  }

  private static let idPrefix = "signature:"

  /// The grants of a token without `video`.
  private static var none: VideoGrants {
    var grants = VideoGrants()
    (grants.canPublish, grants.canSubscribe, grants.canPublishData) = (false, false, false)
    return grants
  }
}
