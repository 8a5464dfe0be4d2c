import CLinux
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RTP
import RoomProtocol
import RoomToken
import WebRTC

/// One socket's conversation: a join within its time, then requests to the room until one of them ends it.
struct SignalSession: Sendable {
  /// What every session needs of the server.
  struct Services: Sendable {
    var keys: TokenKeys
    var directory: RoomDirectory
    var throttle: NIOLockedValueBox<JoinThrottle>
    var configuration: ServerConfiguration
    var counters: ServerCounters
    var log: Logger
  }

  /// The place in a room that a join gave.
  private struct Place: Sendable {
    var room: Room
    var user: UserID
    var sessionId: SessionID
  }

  let services: Services
  let socket: SignalSocket
  let client: TransportAddress?

  /// Serves the socket until its messages end.
  func run() async {
    let joinTime = services.configuration.keepAlive.joinTime
    let deadline = Task { [socket] in
      guard (try? await Task.sleep(for: joinTime)) != nil else { return }
      socket.send(SignalWriter.error(RoomError(.joinFailed, "no join came within \(joinTime)"), id: nil))
      socket.close(.notJoined)
    }
    let limits = services.configuration.limits
    var pace = TokenBucket(perSecond: limits.messagesPerSecond, burst: limits.messageBurst, now: .now)
    var place: Place?
    // Ends with the session, because the socket is closing: requests behind a `leave` or a refused join must not be carried out.
    reading: for await message in socket.messages {
      await keep(&pace)
      // Nobody waits for these answers, and the messages would stay here for as long as the pace makes them.
      if socket.isClosing || place == nil && !socket.isConnected { break }
      do throws(UnreadableRequest) {
        let request = try SignalRequest.decode(message.readableBytesView, limits: limits.told)
        if let joined = place {
          let handled = await joined.room.handle(
            request, session: joined.sessionId, of: joined.user, outlet: socket)
          if handled == .ended {
            place = nil
            break reading
          }
        } else {
          switch await firstRequest(request) {
          case .joined(let joined):
            place = joined
            deadline.cancel()
          case .answered: break
          case .refused: break reading
          }
        }
      } catch {
        services.counters.count {
          $0.messagesMalformed += 1
          $0.errors[error.error.code.rawValue, default: 0] += 1
        }
        socket.send(SignalWriter.error(error.error, id: error.id))
      }
      socket.consumed()
    }
    deadline.cancel()
    if let place { await place.room.socketLost(place.sessionId, of: place.user, outlet: socket) }
  }

  /// Waits until the client's pace allows another message.
  private func keep(_ pace: inout TokenBucket) async {
    guard !pace.take(now: .now) else { return }
    services.counters.count(limit: .messageRate)
    let wait = pace.wait(now: .now) ?? 1_000_000
    try? await Task.sleep(for: .microseconds(wait))
    _ = pace.take(now: .now)
  }

  // MARK: Before the join

  /// What became of a request before the join.
  private enum Entry {
    case joined(Place)
    case answered
    /// The socket is being closed.
    case refused
  }

  private func firstRequest(_ request: SignalRequest) async -> Entry {
    switch request.call {
    case .join(let params):
      do throws(RoomError) {
        let place = try await join(params, request: request.id)
        services.counters.count { $0.joins[ErrorCode.ok.rawValue, default: 0] += 1 }
        return .joined(place)
      } catch {
        services.counters.count { $0.joins[error.code.rawValue, default: 0] += 1 }
        services.log.info(
          "join refused",
          metadata: ["client": "\(client.map(\.host) ?? "")", "code": "\(error.code.rawValue)", "reason": "\(error.message)"])
        refuse(error, request)
        return .refused
      }
    case .ping:
      if let pong = try? SignalWriter.result(Empty(), id: request.id) { socket.send(pong) }
      return .answered
    default:
      refuse(RoomError(.notInRoom, "the first request has to be join"), request)
      return .refused
    }
  }

  private func refuse(_ error: RoomError, _ request: SignalRequest) {
    services.counters.count { $0.errors[error.code.rawValue, default: 0] += 1 }
    socket.send(SignalWriter.error(error, id: request.id))
    socket.close(.notJoined)
  }

  private func join(_ params: JoinParams, request: Int) async throws(RoomError) -> Place {
    guard services.letsIn(client) else {
      throw RoomError(.joinFailed, "too many joins from this address; wait a second and try again")
    }
    guard params.version == signallingVersion else {
      throw RoomError(.joinFailed, "version \(params.version) is not spoken here, but version \(signallingVersion)")
    }
    let token = try services.verified(params.token)
    try services.checkAlive(token)
    // The answer says who is seated, and there may be a new room: both are stored first.
    let hold = socket.hold()
    defer { services.directory.release(hold, of: socket) }
    // A room may close between being found and being joined; then there is a new one, or none.
    for _ in 0..<3 {
      let room = try await services.directory.room(joinedWith: token)
      switch await room.join(token, params, request: request, outlet: socket) {
      case .joined(let sessionId): return Place(room: room, user: token.user, sessionId: sessionId)
      case .refused(let error): throw error
      case .roomIsClosed: await services.directory.forget(room)
      }
    }
    throw RoomError(.joinFailed, "the room is closing; try again")
  }
}

extension SignalSession.Services {
  /// The token, where it is a valid one for a room.
  func verified(_ text: String) throws(RoomError) -> RoomToken {
    let token: RoomToken
    do { token = try keys.verify(text) } catch { throw error.roomError }
    guard NameRule.allows(token.room) else { throw RoomError(.tokenInvalid, "the token's room is not \(NameRule.text)") }
    guard NameRule.allows(token.user) else { throw RoomError(.tokenInvalid, "the token's sub is not \(NameRule.text)") }
    return token
  }

  /// Throws where the token died with a kick.
  func checkAlive(_ token: RoomToken) throws(RoomError) {
    guard !directory.kicked.withLockedValue({ $0.contains(token) }) else {
      throw RoomError(.tokenInvalid, "the user was kicked, and this token with it; a new token is needed")
    }
  }

  /// False, and counted, where this address has joined too often.
  func letsIn(_ client: TransportAddress?) -> Bool {
    guard let client, !throttle.withLockedValue({ $0.allows(client, now: .now) }) else { return true }
    counters.count(limit: .joinRate)
    return false
  }
}

extension Instant {
  /// The monotonic clock.
  static var now: Instant { Instant(microseconds: linux_now_us()) }
}
