import Foundation
import RoomLinux
import Logging
import NIOCore
import RoomRTP
import RoomProtocol
import RoomToken
import RoomEngine
import RoomSFU
import RoomWebRTC

/// The conversation with one client: a join within the allowed time, then requests to the room until one of them ends it.
package struct SignalSession: Sendable {
  /// The node at which the client's media is, and the room that it is for.
  package struct Annex: Sendable {
    package var room: Room
    package var id: MediaAnnexID

    package init(room: Room, id: MediaAnnexID) { (self.room, self.id) = (room, id) }
  }

  /// The room and the participant that a join resulted in.
  private struct Membership: Sendable {
    var room: Room
    var user: UserID
    var sessionId: SessionID

    func lost(_ socket: any SignalChannel) async {
      await room.perform { $0.connectionLost(sessionId, of: user, ConnectionID(socket)) }
    }
  }

  package let entrance: Entrance
  package let socket: any SignalChannel
  package let client: TransportAddress?
  /// Nil if the client's media is here.
  package var annex: Annex?
  /// Serves clients of rooms at other nodes; nil redirects them.
  package var relay: (any SignalRelay)?

  package init(
    entrance: Entrance, socket: any SignalChannel, client: TransportAddress?, annex: Annex? = nil,
    relay: (any SignalRelay)? = nil
  ) {
    self.entrance = entrance
    self.socket = socket
    self.client = client
    self.annex = annex
    self.relay = relay
  }

  /// Serves the socket until its messages end.
  package func run() async {
    let joinTime = entrance.configuration.keepAlive.joinTime
    let deadline = socket.schedule(in: joinTime) { [socket] in
      socket.send(SignalWriter.error(RoomError(.joinFailed, "no join came within \(joinTime)"), id: nil))
      socket.close(.notJoined)
    }
    let limits = entrance.configuration.limits
    var pace = TokenBucket(perSecond: limits.messagesPerSecond, burst: limits.messageBurst, now: .now)
    var membership: Membership?
    var relayed: (any RelayedClient)?
    // Ends with the session, because the socket is closing: requests behind a `leave` or a rejected join must not be executed.
    reading: for await message in socket.messages {
      await keep(&pace)
      // No client is left to receive these answers, and the messages would stay in memory for as long as the rate limit delays
      // them.
      if socket.isClosing || membership == nil && relayed == nil && !socket.isConnected { break }
      if let relayed {
        relayed.pass(message)
        socket.consumed()
        continue
      }
      do throws(UnreadableRequest) {
        let request = try SignalRequest.decode(message.readableBytesView, limits: limits.announced)
        if let joined = membership {
          let handled = await joined.room.handle(
            request, session: joined.sessionId, of: joined.user, outlet: socket)
          if handled == .ended {
            membership = nil
            break reading
          }
        } else {
          switch await firstRequest(request, message) {
          case .joined(let joined):
            membership = joined
            deadline.cancel()
          case .relayed(let client):
            relayed = client
            deadline.cancel()
          case .answered: break
          case .refused: break reading
          }
        }
      } catch {
        entrance.counters.count {
          $0.messagesMalformed += 1
          $0.errors[error.error.code.rawValue, default: 0] += 1
        }
        socket.send(SignalWriter.error(error.error, id: error.id))
      }
      socket.consumed()
    }
    deadline.cancel()
    relayed?.end()
    if let membership { await membership.lost(socket) }
  }

  /// Waits until the client's rate limit allows another message.
  private func keep(_ pace: inout TokenBucket) async {
    guard !pace.take(now: .now) else { return }
    entrance.counters.count(limit: .messageRate)
    let wait = pace.wait(now: .now) ?? 1_000_000
    try? await Task.sleep(for: .microseconds(wait))
    _ = pace.take(now: .now)
  }

  // MARK: Before the join

  /// The result of a request before the join.
  private enum Entry {
    case joined(Membership)
    /// The node that owns the room answers.
    case relayed(any RelayedClient)
    case answered
    /// The socket is being closed.
    case refused
  }

  private func firstRequest(_ request: SignalRequest, _ message: ByteBuffer) async -> Entry {
    switch request.call {
    case .join(let params):
      var token: RoomToken?
      do throws(RoomError) {
        let valid = try authorise(params)
        token = valid
        if let relayed = await relay?.open(valid.room, for: socket, at: client?.host) {
          relayed.pass(message)
          return .relayed(relayed)
        }
        let membership = try await join(valid, params, request: request.id)
        entrance.admitted()
        return .joined(membership)
      } catch {
        entrance.refused(error, room: token?.room, user: token?.user)
        entrance.log.info(
          "join refused",
          metadata: ["client": "\(client.map(\.host) ?? "")", "code": "\(error.code.rawValue)", "reason": "\(error.message)"])
        refuse(error, request)
        return .refused
      }
    case .ping:
      if let pong = try? SignalWriter.result(Empty(), id: request.id) { socket.send(pong) }
      return .answered
    default:
      refuse(RoomError(.notInRoom, "the first request must be join"), request)
      return .refused
    }
  }

  private func refuse(_ error: RoomError, _ request: SignalRequest) {
    entrance.counters.count { $0.errors[error.code.rawValue, default: 0] += 1 }
    socket.send(SignalWriter.error(error, id: request.id))
    socket.close(.notJoined)
  }

  private func authorise(_ params: JoinParams) throws(RoomError) -> RoomToken {
    do throws(Entrance.Refusal) {
      try entrance.admit(client)
      guard params.version == signallingVersion else {
        throw .token(
          RoomError(.joinFailed, "version \(params.version) is not supported; use version \(signallingVersion)"))
      }
      return try entrance.authorise(params.token, for: annex?.room.name, to: .join)
    } catch { throw error.error }
  }

  private func join(_ token: RoomToken, _ params: JoinParams, request: Int) async throws(RoomError) -> Membership {
    // The answer lists the seats, and the room may be new: both are stored before the answer is sent.
    let hold = socket.hold()
    defer { entrance.directory.release(hold, of: socket) }
    let (room, joined) = try await entrance.enter(token) { room -> (Room, Result<SessionID, RoomError>)? in
      if let annex, annex.room !== room {
        return (room, .failure(RoomError(.joinFailed, "the room was opened anew; try again")))
      }
      let joined = await room.perform(on: socket) { [annex] in
        $0.join(token, params, request: request, on: $1, annex: annex?.id)
      }
      return switch joined {
      case .joined(let session): (room, .success(session))
      case .refused(let error): (room, .failure(error))
      case .roomIsClosed: nil
      }
    }
    return Membership(room: room, user: token.user, sessionId: try joined.get())
  }
}
