import RoomHTTPServer
import RoomProtocol
import RoomToken

/// Checks the API token of a REST request: the app's server and the console have one. `Entrance` checks the room tokens of users.
package struct APIAccess: Sendable {
  package let keys: TokenKeys

  package init(keys: TokenKeys) { self.keys = keys }

  /// Returns the error response to a request without a valid API token; nil if the token is valid.
  package func refusal(of request: HTTPRequest) -> HTTPResponse? {
    do throws(RoomError) {
      _ = try verified(request)
      return nil
    } catch {
      return .error(401, error, headers: [("WWW-Authenticate", "Bearer")])
    }
  }

  /// Returns the API token of a request.
  /// - Throws: if the request has none, or an invalid one.
  package func verified(_ request: HTTPRequest) throws(RoomError) -> APIToken {
    guard let token = request.bearerToken else {
      throw HTTPError.unauthorised("send Authorization: Bearer with an API token")
    }
    do throws(TokenError) { return try keys.verifyAPI(token) } catch { throw error.roomError }
  }

  /// Signs a room token with the key of a request's API token, so that removing that key invalidates it.
  /// - Throws: if the request has no valid API token, or the token can't be signed.
  package func sign(_ token: RoomToken, for request: HTTPRequest) throws(RoomError) -> String {
    let key = try verified(request).key
    do throws(TokenError) { return try keys.sign(token, key: key) } catch { throw error.roomError }
  }

  /// Returns the error response to a request that may not read a recording; nil if it may: it has an API token, or the
  /// recording's own token in the query's member `token`.
  package func refusal(of request: HTTPRequest, reading recording: String) -> HTTPResponse? {
    guard let text = request.query("token") else { return refusal(of: request) }
    do throws(TokenError) {
      guard try keys.verifyRecording(text).recording == recording else { throw .wrongPurpose }
      return nil
    } catch { return .error(401, error.roomError, headers: [("WWW-Authenticate", "Bearer")]) }
  }
}
