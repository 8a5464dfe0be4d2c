import Foundation
import RoomDigests

extension TokenKeys {
  /// Returns the header `Authorization` of a webhook in LiveKit's form: a token with the SHA-256 of the body, without `Bearer`.
  /// - Parameters:
  ///   - body: the bytes that are sent.
  ///   - key: the API key that signs; its secret is the receiver's too.
  ///   - now: the time of sending; the token is valid for five minutes.
  /// - Throws: `unknownKey`.
  public func liveKitAuthorization(of body: [UInt8], key: String, now: Date = Date()) throws(TokenError) -> String {
    var token = LiveKitToken(key: key, expires: now + 300, notBefore: now)
    token.sha256 = Data(Digest.sha256.digest(of: body)).base64EncodedString()
    return try sign(token)
  }
}
