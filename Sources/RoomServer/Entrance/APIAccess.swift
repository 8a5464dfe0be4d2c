import RoomHTTPServer
import RoomProtocol
import RoomToken

/// Checks the API token of a REST request: the app's server and the console have one. `Entrance` checks the room tokens of users.
struct APIAccess: Sendable {
  let keys: TokenKeys

  /// Returns the error response to a request without a valid API token; nil if the token is valid.
  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    do throws(RoomError) {
      _ = try verified(request)
      return nil
    } catch {
      return .error(401, error, headers: [("WWW-Authenticate", "Bearer")])
    }
  }

  /// Returns the API token of a request.
  /// - Throws: if the request has none, or an invalid one.
  func verified(_ request: HTTPRequest) throws(RoomError) -> APIToken {
    guard let token = request.bearerToken else {
      throw HTTPError.unauthorised("send Authorization: Bearer with an API token")
    }
    do throws(TokenError) { return try keys.verifyAPI(token) } catch { throw error.roomError }
  }
}
