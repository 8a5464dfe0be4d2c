import RoomDigests
import Foundation
import RoomProtocol

/// The API keys of a server, each with its secret. Signs and verifies tokens.
///
/// Tokens are JWTs (RFC 7519) with HMAC-SHA256 signatures (`HS256`, RFC 7518 §3.2).
public struct TokenKeys: Sendable {
  /// Minimum length of a secret in bytes.
  public static let minimumSecretBytes = 32
  /// Maximum length of a token in bytes; a longer one is rejected unparsed.
  public static let maximumTokenBytes = 4096

  /// API key → secret.
  private let secrets: [String: [UInt8]]
  /// The API keys: the signing key first, then the others, sorted.
  public let keys: [String]

  /// - Parameters:
  ///   - secrets: API key → secret of at least ``minimumSecretBytes`` bytes. Tokens signed with any of them are valid.
  ///   - signing: the key that signs the server's own tokens; nil for the first in sorted order.
  /// - Throws: `secretTooShort`.
  public init(_ secrets: [String: String], signing: String? = nil) throws(TokenError) {
    for (key, secret) in secrets {
      guard secret.utf8.count >= Self.minimumSecretBytes else {
        throw .secretTooShort(key: key, bytes: secret.utf8.count)
      }
    }
    self.secrets = secrets.mapValues { Array($0.utf8) }
    keys = secrets.keys.filter { $0 == signing } + secrets.keys.filter { $0 != signing }.sorted()
  }

  /// Signs a room token.
  /// - Throws: `unknownKey`.
  public func sign(_ token: RoomToken, key: String) throws(TokenError) -> String {
    try sign(
      Claims(
        iss: key, sub: token.user, room: token.room, exp: token.expires.timeIntervalSince1970,
        nbf: token.notBefore?.timeIntervalSince1970, jti: token.id.isEmpty ? nil : token.id, grants: token.grants, pk: token.pk),
      key: key)
  }

  /// Signs an API token with its own key.
  /// - Throws: `unknownKey`.
  public func sign(_ token: APIToken) throws(TokenError) -> String {
    try sign(
      Claims(
        iss: token.key, exp: token.expires.timeIntervalSince1970, nbf: token.notBefore?.timeIntervalSince1970, api: true),
      key: token.key)
  }

  /// Signs a token for a recording with its own key.
  /// - Throws: `unknownKey`.
  public func sign(_ token: RecordingToken) throws(TokenError) -> String {
    try sign(Claims(iss: token.key, exp: token.expires.timeIntervalSince1970, recording: token.recording), key: token.key)
  }

  /// Verifies a room token: form, key, algorithm, signature, `nbf`, `exp`, and the room if one is given.
  public func verify(_ text: String, room: RoomName? = nil, now: Date = Date()) throws(TokenError) -> RoomToken {
    let (_, claims, signature) = try verifiedClaims(text, now: now)
    guard claims.api != true, claims.recording == nil else { throw .wrongPurpose }
    guard let user = claims.sub, !user.isEmpty else { throw .malformed("it has no sub (user id)") }
    guard let named = claims.room, !named.isEmpty else { throw .malformed("it has no room") }
    guard let grants = claims.grants else { throw .malformed("it has no grants") }
    if let room, room != named { throw .wrongRoom(token: named, asked: room) }
    return RoomToken(
      room: named, user: user, grants: grants, expires: Date(timeIntervalSince1970: claims.exp),
      notBefore: claims.nbf.map(Date.init(timeIntervalSince1970:)), id: claims.name(signature), pk: claims.pk)
  }

  /// Verifies an API token.
  public func verifyAPI(_ text: String, now: Date = Date()) throws(TokenError) -> APIToken {
    let (key, claims, _) = try verifiedClaims(text, now: now)
    guard claims.api == true, claims.recording == nil else { throw .wrongPurpose }
    if let issuer = claims.iss, issuer != key { throw .malformed("iss and kid name different keys") }
    return APIToken(
      key: key, expires: Date(timeIntervalSince1970: claims.exp),
      notBefore: claims.nbf.map(Date.init(timeIntervalSince1970:)))
  }

  /// Verifies a token for a recording.
  public func verifyRecording(_ text: String, now: Date = Date()) throws(TokenError) -> RecordingToken {
    let (key, claims, _) = try verifiedClaims(text, now: now)
    guard let recording = claims.recording, claims.api != true, claims.room == nil else { throw .wrongPurpose }
    return RecordingToken(key: key, recording: recording, expires: Date(timeIntervalSince1970: claims.exp))
  }
}

/// The claims of room tokens, API tokens and tokens for recordings. Times are seconds since 1970.
private struct Claims: Codable {
  var iss: String?
  var sub: UserID?
  var room: RoomName?
  var exp: Double
  var nbf: Double?
  var jti: String?
  var grants: Grants?
  var api: Bool?
  var pk: PKID?
  var recording: String?

  /// Returns `jti`, or half of the signature if there is none. The signature covers the whole token, so tokens that differ in
  /// any claim, such as `iat` or `exp`, have different names. An HMAC may be truncated this way: one half does not reveal the
  /// other.
  func name(_ signature: Data) -> String {
    if let jti, !jti.isEmpty { return jti }
    return "signature:" + base64URL(signature.prefix(16))
  }
}

extension TokenKeys {
  private func sign(_ claims: Claims, key: String) throws(TokenError) -> String {
    try sign(claims, header: JWT.Header(alg: "HS256", typ: "JWT", kid: key), key: key)
  }

  func sign(_ claims: some Encodable, header: JWT.Header, key: String) throws(TokenError) -> String {
    let encoder = JSONEncoder()
    // One token for the same claims: the order of members otherwise differs from call to call.
    encoder.outputFormatting = .sortedKeys
    guard let header = try? encoder.encode(header), let payload = try? encoder.encode(claims) else {
      throw .malformed("it can't be encoded")
    }
    return try sign(header: header, payload: payload, key: key)
  }

  /// Signs a header and a payload without validating them.
  /// - Throws: `unknownKey`.
  func sign(header: Data, payload: Data, key: String) throws(TokenError) -> String {
    try JWT.sign(header: header, payload: payload, secret: try secret(of: key))
  }

  /// Returns the secret of an API key.
  /// - Throws: `unknownKey`.
  func secret(of key: String) throws(TokenError) -> [UInt8] {
    guard let secret = secrets[key] else { throw .unknownKey(key) }
    return secret
  }

  /// Verifies the header's form, algorithm and key, then the signature. The claims are decoded only after the signature
  /// matches.
  private func verifiedClaims(_ text: String, now: Date) throws(TokenError) -> (key: String, Claims, signature: Data) {
    let token = try JWT(text, limit: Self.maximumTokenBytes)
    guard let key = token.header.kid else { throw .malformed("its header has no kid") }
    let signature = try token.verify(try secret(of: key))
    let claims = try token.claims(Claims.self)
    try JWT.check(expires: claims.exp, notBefore: claims.nbf, now: now)
    return (key, claims, signature)
  }
}
