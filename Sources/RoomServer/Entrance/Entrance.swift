import Logging
import RoomLinux
import RoomRTP
import RoomProtocol
import RoomToken
import RoomEngine
import RoomWebRTC

/// The only path into a room with a room token. Signalling, WHIP, WHEP and RTMP each read a request, call this type, and write
/// the answer. REST uses API tokens, which `APIAccess` checks.
struct Entrance: Sendable {
  /// What a token is used for.
  enum Purpose: Sendable {
    /// Signalling: the room checks each call.
    case join
    /// To publish without signalling.
    case publish
    /// To receive without signalling.
    case view
    /// To change an existing session.
    case session
  }

  /// Why a client is not admitted.
  enum Refusal: Error, Sendable {
    /// The address joins too often.
    case tooManyJoins(RoomError)
    /// The token is invalid, expired, or revoked by a kick.
    case token(RoomError)
    /// A valid token for another room.
    case otherRoom(RoomError)
    /// A valid token without the grant.
    case grant(RoomError)

    var error: RoomError {
      switch self {
      case .tooManyJoins(let error), .token(let error), .otherRoom(let error), .grant(let error): error
      }
    }
  }

  var keys: TokenKeys
  var directory: RoomDirectory
  var throttle: Guarded<JoinThrottle>
  var configuration: ServerConfiguration
  var counters: ServerCounters
  var log: Logger

  /// Counts a join from an address.
  /// - Throws: if the address joins too often.
  func admit(_ client: TransportAddress?) throws(Refusal) {
    guard let client, !throttle.withLock({ $0.allows(client, now: .now) }) else { return }
    counters.count(limit: .joinRate)
    throw .tooManyJoins(RoomError(.joinFailed, "too many joins from this address; wait a second and try again"))
  }

  /// Checks a token.
  /// - Parameter room: the room that the request names; nil if only the token names one.
  func authorise(_ text: String, for room: RoomName?, to purpose: Purpose) throws(Refusal) -> RoomToken {
    let token: RoomToken
    do { token = try keys.verify(text) } catch { throw .token(error.roomError) }
    for (claim, name) in [("room", token.room.rawValue), ("sub", token.user.rawValue)] where !NameRule.allows(name) {
      throw .token(RoomError(.tokenInvalid, "the token's \(claim) is not \(NameRule.text)"))
    }
    if let room, token.room != room { throw .otherRoom(RoomError(.tokenInvalid, "the token is for another room")) }
    if case .session = purpose { return token }
    guard !directory.kicked.withLock({ $0.contains(token) }) else {
      throw .token(RoomError(.tokenInvalid, "the user was kicked and this token revoked; get a new token"))
    }
    switch purpose {
    case .join, .session: break
    case .publish:
      guard token.grants.contains(.publish) else { throw Self.missing("publish") }
      guard !token.grants.contains(.hidden) else {
        throw .grant(RoomError(.noPermission, "a hidden participant can't publish: its tracks would reveal it"))
      }
    case .view: guard token.grants.contains(.subscribe) else { throw Self.missing("subscribe") }
    }
    return token
  }

  private static func missing(_ grant: String) -> Refusal {
    .grant(RoomError(.noPermission, "the token has no grant to \(grant)"))
  }

  /// Admits a user to the room of a token, and creates the room if that is allowed.
  /// - Parameter enter: returns nil if the room closed meanwhile; the call is then repeated with a new room.
  func enter<Entered>(
    _ token: RoomToken, _ enter: (Room) async -> Entered?
  ) async throws(RoomError) -> Entered {
    for _ in 0..<3 {
      let room = try await directory.room(joinedWith: token)
      if let entered = await enter(room) { return entered }
      await directory.forget(room)
    }
    throw RoomError(.joinFailed, "the room is closing; try again")
  }

  /// Counts the result of a join.
  func count(_ code: ErrorCode) { counters.count { $0.joins[code.rawValue, default: 0] += 1 } }
}
