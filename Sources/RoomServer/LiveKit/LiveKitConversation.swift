import Foundation
import Logging
import NIOCore
import RoomEngine
import RoomLinux
import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import RoomToken
import RoomWebRTC

/// Runs a ``LiveKitSession`` on a WebSocket: passes it the client's messages and what the room sends, one after the other, and
/// performs what it says.
struct LiveKitConversation: Sendable {
  private typealias Input = LiveKitOutlet.Input

  /// The interval between two tokens for the client's next connection.
  private static let tokenInterval = Duration.seconds(300)

  let entrance: Entrance
  let socket: any SignalChannel
  let address: TransportAddress?
  let token: LiveKitToken
  let client: LiveKitClient
  let calls: LiveKitCalls
  let agents: any RoomAgents

  /// Serves the socket until its messages end.
  func run() async {
    let (inputs, continuation) = AsyncStream.makeStream(
      of: Input.self, bufferingPolicy: .bufferingOldest(LiveKitOutlet.capacity))
    let outlet = LiveKitOutlet(continuation) { [socket, counters = entrance.counters] in
      counters.count(limit: .slowClient)
      socket.close(.slowClient)
    }
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await message in socket.messages { outlet.add(.message(message)) }
        outlet.add(.gone)
        continuation.finish()
      }
      await converse(inputs, outlet)
      continuation.finish()
      group.cancelAll()
    }
  }

  private func converse(_ inputs: AsyncStream<Input>, _ outlet: LiveKitOutlet) async {
    var session = LiveKitSession(
      token, client, newTrackID: { TrackID("TR_" + UUID().uuidString.filter { $0 != "-" }.prefix(16)) },
      sign: { [keys = entrance.keys] in try? keys.sign($0) })
    guard let params = session.begin(), let membership = await join(params, &session, outlet) else {
      return finish(&session)
    }
    let ticking = tick(outlet)
    defer { ticking.withLock { $0?.cancel() } }
    var pace = TokenBucket(
      perSecond: entrance.configuration.limits.messagesPerSecond, burst: entrance.configuration.limits.messageBurst, now: .now)
    var isEnded = false
    reading: for await input in inputs {
      switch input {
      case .message(let message):
        await keep(&pace)
        if !socket.isClosing { read(message, &session) }
        socket.consumed()
      case .delivery(let delivery): session.receive(delivery, at: Self.now)
      case .profileAnswer(let params, let error): session.answer(params, error)
      case .state(let rpc, let state): session.answer(rpc: rpc, .success(state))
      case .tokenIsDue: session.refreshToken(at: Self.now)
      case .close(let reason):
        socket.close(reason)
        isEnded = true
      case .gone: break reading
      }
      for output in session.takeOutputs() {
        switch output {
        case .send(let message): send(message)
        case .call(let request, let call):
          let handled = await membership.room.handle(
            SignalRequest(id: request, call: call), session: membership.session, of: membership.user, outlet: outlet)
          if handled == .ended { isEnded = true }
        case .changeProfile(let params): outlet.add(.profileAnswer(params, await change(params, of: membership)))
        case .data(let action):
          if await perform(action, of: membership, outlet, &pace) == .ended { isEnded = true }
        case .close: socket.close(.sessionEnded)
        }
      }
      if isEnded { break }
    }
    if !isEnded { await membership.room.socketLost(membership.session, of: membership.user, outlet: outlet) }
    socket.close(.sessionEnded)
  }

  private struct Membership: Sendable {
    var room: Room
    var user: UserID
    var session: SessionID
  }

  private func join(
    _ params: JoinParams, _ session: inout LiveKitSession, _ outlet: LiveKitOutlet
  ) async -> Membership? {
    let own: RoomToken
    do throws(TokenError) { own = try token.roomToken } catch {
      session.refuse(error.roomError)
      return nil
    }
    var traits: ClientTraits = [.opensReceiving, .choosesTrackIDs, .moves]
    if token.kind == LiveKitToken.agentKind { traits.insert(.isAgent) }
    let opensRoom = !token.agents.isEmpty && entrance.directory.summaries.withLock { $0[own.room] == nil }
    if opensRoom, let name = token.grants.room { await agents.announce(token.agents, for: name) }
    defer { if opensRoom { agents.withdraw(own.room) } }
    do throws(RoomError) {
      let (room, joined) = try await entrance.enter(own) { [traits] room -> (Room, Result<SessionID, RoomError>)? in
        let joined = await room.join(
          own, params, request: 0, outlet: outlet, traits: traits,
          profile: token.profile.isEmpty ? nil : token.profile,
          data: DataLink(channels: LiveKitPackets.channels, format: LiveKitFormat()))
        return switch joined {
        case .joined(let session): (room, .success(session))
        case .refused(let error): (room, .failure(error))
        case .roomIsClosed: nil
        }
      }
      let id = try joined.get()
      entrance.admitted()
      return Membership(room: room, user: own.user, session: id)
    } catch {
      entrance.refused(error, room: own.room, user: own.user)
      entrance.log.info(
        "join refused",
        metadata: ["client": "\(address.map(\.host) ?? "")", "code": "\(error.code.rawValue)", "reason": "\(error.message)"])
      session.refuse(error)
      return nil
    }
  }

  /// Changes what the client shows of itself. Returns why it can't.
  private func change(_ params: LiveKit.UpdateParticipantMetadata, of membership: Membership) async -> RoomError? {
    do throws(RoomError) {
      try await membership.room.changeProfile(of: membership.user, session: membership.session) {
        $0.merge(name: params.name, metadata: params.metadata, attributes: params.attributes)
      }
      return nil
    } catch { return error }
  }

  /// Performs what follows from data packets.
  private func perform(
    _ action: LiveKitDataAction, of membership: Membership, _ outlet: LiveKitOutlet, _ pace: inout TokenBucket
  ) async -> RoomCore.Handled {
    let (room, user) = (membership.room, membership.user)
    switch action {
    case .relay(let message, let content, let users):
      await room.send(message, in: LiveKitFormat(), content: content, from: user, to: users)
    case .send(let message): await room.send(message, in: LiveKitFormat(), to: [user])
    case .call(let request, let call):
      await keep(&pace)
      return await room.handle(
        SignalRequest(id: request, call: call), session: membership.session, of: user, outlet: outlet)
    case .readState(let rpc):
      await keep(&pace)
      var state = await room.state(for: user)
      // They would not fit into an answer.
      state.messages = []
      outlet.add(.state(rpc, state))
    case .answered(let response): calls.answer(response, by: user, in: room.name)
    case .refuse: entrance.counters.count { $0.dataRefused += 1 }
    }
    return .continue
  }

  /// Performs what a session says that never joined.
  private func finish(_ session: inout LiveKitSession) {
    for output in session.takeOutputs() { if case .send(let message) = output { send(message) } }
    socket.close(.notJoined)
  }

  private func read(_ message: ByteBuffer, _ session: inout LiveKitSession) {
    do throws(MessageError) {
      session.receive(try LiveKit.SignalRequest(protobuf: Array(message.readableBytesView)), at: Self.now)
    } catch {
      entrance.counters.count { $0.messagesMalformed += 1 }
    }
  }

  private func send(_ message: LiveKit.SignalResponse.Content) {
    socket.send(SignalFrame.message(LiveKit.SignalResponse { $0.message = message }.protobuf, isBinary: true))
  }

  /// Waits until the client's rate limit allows another message.
  private func keep(_ pace: inout TokenBucket) async {
    guard !pace.take(now: .now) else { return }
    entrance.counters.count(limit: .messageRate)
    try? await Task.sleep(for: .microseconds(pace.wait(now: .now) ?? 1_000_000))
    _ = pace.take(now: .now)
  }

  /// Reports at intervals that a token is due, until it is cancelled.
  private func tick(_ outlet: LiveKitOutlet) -> Guarded<Scheduled<Void>?> {
    let next = Guarded<Scheduled<Void>?>(nil)
    @Sendable func schedule() {
      let scheduled = socket.schedule(in: Self.tokenInterval) {
        outlet.add(.tokenIsDue)
        schedule()
      }
      next.withLock { $0 = scheduled }
    }
    schedule()
    return next
  }

  /// Milliseconds since 1970.
  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
