import Foundation
import RoomHTTPServer
import RoomProtocol
import RoomToken

/// Mints room tokens.
package struct TokensAPI: Sendable {
  package let access: APIAccess
  package static let defaultTTL = 7200
  package static let maximumTTL = 2_592_000

  package var endpoints: [Endpoint] {
    [Endpoint("POST", "/v1/tokens", access: .api, takesBody: true, action: .answer { request, _ in mint(request) })]
  }

  private func mint(_ request: HTTPRequest) -> HTTPResponse {
    do throws(RoomError) {
      let body = try APIBody.read(API.NewToken.self, from: request)
      guard NameRule.allows(body.room) else { throw HTTPError.badRequest("room: \(NameRule.text)") }
      guard NameRule.allows(body.user) else { throw HTTPError.badRequest("user: \(NameRule.text)") }
      let ttl = body.ttl ?? Self.defaultTTL
      guard (1...Self.maximumTTL).contains(ttl) else { throw HTTPError.badRequest("ttl: 1 to \(Self.maximumTTL) seconds") }
      let token = RoomToken(
        room: body.room, user: body.user, grants: body.grants ?? [.publish, .subscribe],
        expires: Date(timeIntervalSinceNow: Double(ttl)))
      let text = try access.sign(token, for: request)
      return .json(
        API.MintedToken(token: text, expiresAt: Int64(token.expires.timeIntervalSince1970 * 1000)))
    } catch {
      return .error(400, error)
    }
  }
}
