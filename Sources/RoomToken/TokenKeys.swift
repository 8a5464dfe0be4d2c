import Foundation
import JWTKit
import RoomProtocol

/// The API keys of a server, each with its secret: signs tokens and checks them.
///
/// Made once, asynchronously; signing and checking are synchronous and safe from any thread.
public struct TokenKeys: Sendable {
  /// Bytes of the shortest secret.
  public static let minimumSecretBytes = 32
  /// Bytes of the longest token that is looked at.
  public static let maximumTokenBytes = 4096

  private let algorithms: [String: any JWTAlgorithm]

  /// - Parameter secrets: API key → secret of at least ``minimumSecretBytes`` bytes.
  /// - Throws: `secretTooShort`.
  public init(_ secrets: [String: String]) async throws(TokenError) {
    var algorithms: [String: any JWTAlgorithm] = [:]
    for (key, secret) in secrets {
      // JWTKit traps on a shorter one.
      guard secret.utf8.count >= Self.minimumSecretBytes else {
        throw .secretTooShort(key: key, bytes: secret.utf8.count)
      }
      let collection = JWTKeyCollection()
      await collection.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
      do { algorithms[key] = try await collection.getKey() } catch { throw .malformed("the key can't be used") }
    }
    self.algorithms = algorithms
  }

  /// The API keys, sorted.
  public var keys: [String] { algorithms.keys.sorted() }

  /// Signs a token that joins a room.
  /// - Throws: `unknownKey`.
  public func sign(_ token: RoomToken, key: String) throws(TokenError) -> String {
    try sign(
      Claims(
        iss: key, sub: token.user, room: token.room, exp: token.expires.timeIntervalSince1970,
        nbf: token.notBefore?.timeIntervalSince1970, jti: token.id, grants: token.grants), key: key)
  }

  /// Signs a token that uses the REST API, by its own key.
  /// - Throws: `unknownKey`.
  public func sign(_ token: APIToken) throws(TokenError) -> String {
    try sign(
      Claims(
        iss: token.key, exp: token.expires.timeIntervalSince1970, nbf: token.notBefore?.timeIntervalSince1970, api: true),
      key: token.key)
  }

  /// Checks a room token: form, key, algorithm, signature, `nbf`, `exp`, and the room where one is given.
  public func verify(_ text: String, room: String? = nil, now: Date = Date()) throws(TokenError) -> RoomToken {
    let (_, claims) = try verifiedClaims(text, now: now)
    guard claims.api != true else { throw .wrongPurpose }
    guard let user = claims.sub, !user.isEmpty else { throw .malformed("it has no sub, the user") }
    guard let named = claims.room, !named.isEmpty else { throw .malformed("it has no room") }
    guard let grants = claims.grants else { throw .malformed("it has no grants") }
    if let room, room != named { throw .wrongRoom(token: named, asked: room) }
    return RoomToken(
      room: named, user: user, grants: grants, expires: Date(timeIntervalSince1970: claims.exp),
      notBefore: claims.nbf.map(Date.init(timeIntervalSince1970:)), id: claims.jti ?? "")
  }

  /// Checks a token for the REST API.
  public func verifyAPI(_ text: String, now: Date = Date()) throws(TokenError) -> APIToken {
    let (key, claims) = try verifiedClaims(text, now: now)
    guard claims.api == true else { throw .wrongPurpose }
    if let issuer = claims.iss, issuer != key { throw .malformed("iss and kid name different keys") }
    return APIToken(
      key: key, expires: Date(timeIntervalSince1970: claims.exp),
      notBefore: claims.nbf.map(Date.init(timeIntervalSince1970:)))
  }
}

/// What our tokens say. Times are seconds since 1970.
private struct Claims: JWTPayload {
  var iss: String?
  var sub: String?
  var room: String?
  var exp: Double
  var nbf: Double?
  var jti: String?
  var grants: Grants?
  var api: Bool?

  /// Checked by `TokenKeys`, which is told the time.
  func verify(using algorithm: some JWTAlgorithm) {}
}

extension TokenKeys {
  private func sign(_ claims: Claims, key: String) throws(TokenError) -> String {
    guard let algorithm = algorithms[key] else { throw .unknownKey(key) }
    let header: JWTHeader = ["alg": "HS256", "typ": "JWT", "kid": .string(key)]
    let serializer = DefaultJWTSerializer()
    do {
      let encodedHeader = base64URL(try serializer.jsonEncoder.encode(header))
      let payload = String(decoding: try serializer.serialize(claims, header: header), as: UTF8.self)
      let signed = "\(encodedHeader).\(payload)"
      return "\(signed).\(base64URL(Data(try algorithm.sign(Data(signed.utf8)))))"
    } catch {
      throw .malformed("it can't be written")
    }
  }

  private func verifiedClaims(_ text: String, now: Date) throws(TokenError) -> (key: String, Claims) {
    let bytes = [UInt8](text.utf8)
    guard bytes.count <= Self.maximumTokenBytes else { throw .malformed("it has more than \(Self.maximumTokenBytes) bytes") }
    let token: (header: JWTHeader, payload: Claims, signature: Data)
    do {
      token = try DefaultJWTParser().parse(bytes, as: Claims.self)
    } catch {
      throw .malformed("it is not a JWT with the claims of a token")
    }
    guard let name = token.header.alg else { throw .malformed("its header has no alg") }
    guard name == "HS256" else { throw .wrongAlgorithm(name) }
    guard let key = token.header.kid else { throw .malformed("its header has no kid") }
    guard let algorithm = algorithms[key] else { throw .unknownKey(key) }
    guard let end = bytes.lastIndex(of: UInt8(ascii: ".")),
      (try? algorithm.verify(token.signature, signs: bytes[..<end])) == true
    else { throw .wrongSignature }
    let claims = token.payload
    let seconds = now.timeIntervalSince1970
    guard claims.exp.isFinite, seconds < claims.exp else { throw .expired }
    if let start = claims.nbf, seconds < start { throw .notYetValid }
    return (key, claims)
  }
}

/// RFC 7515 §2: base64 for URLs, without padding.
private func base64URL(_ data: Data) -> String {
  String(data.base64EncodedString().prefix { $0 != "=" }).replacing("+", with: "-").replacing("/", with: "_")
}
