import Foundation
import Logging
import RoomHTTPServer
import RoomLinux
import RoomRTP
import RoomProtocol
import RoomToken
import RoomEngine
import RoomWebRTC

/// The only path into a room with a room token. Signalling, WHIP, WHEP, RTMP and SRT each read a request, call this type, and
/// write the answer. REST uses API tokens, which `APIAccess` checks.
///
/// A class, because the task of each connection would contain a copy of the configuration.
package final class Entrance: Sendable {
  /// What a token is used for.
  package enum Purpose: Sendable {
    /// Signalling: the room checks each call.
    case join
    /// To publish without signalling.
    case publish
    /// To receive without signalling.
    case view
    /// To receive a room's program: as `view`, and the public of a public room may as well.
    case watch
    /// To change an existing session.
    case session
  }

  /// Why a client is not admitted.
  package enum Refusal: Error, Sendable {
    /// No token, and the room is not public.
    case noToken(RoomError)
    /// The address joins too often.
    case tooManyJoins(RoomError)
    /// The token is invalid, expired, or revoked by a kick.
    case token(RoomError)
    /// A valid token for another room.
    case otherRoom(RoomError)
    /// A valid token without the grant.
    case grant(RoomError)

    package var error: RoomError {
      switch self {
      case .noToken(let error), .tooManyJoins(let error), .token(let error), .otherRoom(let error), .grant(let error): error
      }
    }
  }

  package let directory: RoomDirectory
  private let ground: ServerGround
  private let throttle: Guarded<JoinThrottle>
  private let history: History?

  /// - Parameter history: records refused joins; nil records none.
  init(_ ground: ServerGround, _ directory: RoomDirectory, history: History? = nil) {
    self.directory = directory
    self.ground = ground
    self.history = history
    let limits = ground.configuration.limits
    throttle = Guarded(
      JoinThrottle(perSecond: limits.joinsPerSecond, burst: limits.joinBurst, capacity: limits.joinAddresses))
  }

  package var keys: TokenKeys { ground.keys }
  package var configuration: ServerConfiguration { ground.configuration }
  package var counters: ServerCounters { ground.counters }
  package var log: Logger { ground.log }

  /// Counts a join from an address.
  /// - Throws: if the address joins too often.
  package func admit(_ client: TransportAddress?) throws(Refusal) {
    guard let client, !throttle.withLock({ $0.allows(client, now: .now) }) else { return }
    counters.count(limit: .joinRate)
    throw .tooManyJoins(RoomError(.joinFailed, "too many joins from this address; wait a second and try again"))
  }

  /// Checks a token.
  /// - Parameter room: the room that the request names; nil if only the token names one.
  package func authorise(_ text: String, for room: RoomName?, to purpose: Purpose) throws(Refusal) -> RoomToken {
    let token: RoomToken
    do { token = try keys.verify(text) } catch { throw .token(error.roomError) }
    for (claim, name) in [("room", token.room.rawValue), ("sub", token.user.rawValue)] where !NameRule.allows(name) {
      throw .token(RoomError(.tokenInvalid, "the token's \(claim) is not \(NameRule.text)"))
    }
    if let room, token.room != room { throw .otherRoom(RoomError(.tokenInvalid, "the token is for another room")) }
    if case .session = purpose { return token }
    guard !isKicked(token) else {
      throw .token(RoomError(.tokenInvalid, "the user was kicked and this token revoked; get a new token"))
    }
    switch purpose {
    case .join, .session: break
    case .publish:
      guard token.grants.contains(.publish) else { throw Self.missing("publish") }
      guard !token.grants.contains(.hidden) else {
        throw .grant(RoomError(.noPermission, "a hidden participant can't publish: its tracks would reveal it"))
      }
    case .view, .watch: guard token.grants.contains(.subscribe) else { throw Self.missing("subscribe") }
    }
    return token
  }

  /// Whether a token was revoked by a kick.
  package func isKicked(_ token: RoomToken) -> Bool { directory.kicked.withLock { $0.contains(token) } }

  /// Whether a join may open a room, or finds it open. Does not wait for the room.
  package func mayOpen(_ room: RoomName) -> Bool { directory.mayOpen(room) }

  /// Returns the token of a viewer: the one that it sent, or one for the public of a public room.
  ///
  /// A missing room has the server's default: it is not live if that is public, and else refused like a private one, so that
  /// its absence stays unknown.
  /// - Parameter text: the token that the viewer sent; nil if it sent none.
  package func viewer(
    of room: RoomName, token text: String?, from client: TransportAddress?
  ) async throws(Refusal) -> RoomToken {
    if let text { return try authorise(text, for: room, to: .view) }
    let policy = await directory.room(room)?.read(\.settings.watch) ?? configuration.rooms.watch
    guard policy.isPublic else {
      throw .noToken(RoomError(.tokenInvalid, "the room is not public; send Authorization: Bearer with a room token"))
    }
    return visitor(of: room, from: client)
  }

  /// Returns the token of a viewer without one. All viewers of an address are one user, so that the limit of sessions of a user
  /// applies to them together.
  package func visitor(of room: RoomName, from client: TransportAddress?) -> RoomToken {
    RoomToken(
      room: room, user: UserID("@" + (client?.subscriber.host ?? "unknown")), grants: [.subscribe, .hidden],
      expires: Date(timeIntervalSinceNow: 86_400))
  }

  private static func missing(_ grant: String) -> Refusal {
    .grant(RoomError(.noPermission, "the token has no grant to \(grant)"))
  }

  /// Admits a user to the room of a token, and creates the room if that is allowed.
  /// - Parameters:
  ///   - creates: false for a viewer without a token, which creates no room.
  ///   - enter: returns nil if the room closed meanwhile; the call is then repeated with a new room.
  package func enter<Entered>(
    _ token: RoomToken, creates: Bool = true, _ enter: (Room) async -> Entered?
  ) async throws(RoomError) -> Entered {
    for _ in 0..<3 {
      try await directory.prepare(token.room, or: .joinFailed)
      if !creates, await directory.room(token.room) == nil {
        await directory.releaseUnlessOpen(token.room)
        throw RoomError(.noSuchRoom, "there is no room \"\(token.room)\"")
      }
      let room: Room
      do throws(RoomError) { room = try await directory.room(joinedWith: token) } catch {
        await directory.releaseUnlessOpen(token.room)
        throw error
      }
      if let entered = await enter(room) { return entered }
      await directory.forget(room)
    }
    throw RoomError(.joinFailed, "the room is closing; try again")
  }

  /// Counts a join.
  package func admitted() { count(.ok) }

  /// Counts and records a refused join.
  /// - Parameters:
  ///   - room: the room of the request; nil if it named none.
  ///   - user: the user of a valid token.
  package func refused(_ error: RoomError, room: RoomName?, user: UserID? = nil) {
    count(error.code)
    history?.refused(error, room: room, user: user)
  }

  private func count(_ code: ErrorCode) { counters.count { $0.joins[code.rawValue, default: 0] += 1 } }
}
