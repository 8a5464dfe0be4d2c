import Foundation
import Logging
import NIOCore
import RoomEngine
import RoomLinux
import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import RoomServer
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
  /// The server that has the client's media after a new join.
  let place: MediaPlace

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
    guard let (memory, joined) = await client.reconnects ? resume(outlet) : join(outlet) else {
      return socket.close(.notJoined)
    }
    var membership = joined
    let ticking = tick(outlet)
    defer { ticking.withLock { $0?.cancel() } }
    var pace = TokenBucket(
      perSecond: entrance.configuration.limits.messagesPerSecond, burst: entrance.configuration.limits.messageBurst, now: .now)
    var isEnded = false
    reading: for await input in inputs {
      var outputs: [LiveKitSession.Output]? = []
      switch input {
      case .message(let message):
        await keep(&pace)
        if !socket.isClosing, let request = read(message) {
          outputs = memory.change(by: outlet) { $0.receive(request, at: Self.now) }
        }
        socket.consumed()
      case .delivery(.move(let room)): outputs = await move(&membership, to: room, memory, outlet)
      case .delivery(let delivery): outputs = memory.change(by: outlet) { $0.receive(delivery, at: Self.now) }
      case .profileAnswer(let params, let error): outputs = memory.change(by: outlet) { $0.answer(params, error) }
      case .state(let rpc, let state): outputs = memory.change(by: outlet) { $0.answer(rpc: rpc, .success(state)) }
      case .tokenIsDue: outputs = memory.change(by: outlet) { $0.refreshToken(at: Self.now) }
      case .close(let reason):
        socket.close(reason)
        isEnded = true
      case .gone: break reading
      }
      // Another connection continues the session.
      guard let outputs else { break }
      for output in outputs {
        switch output {
        case .send(let message): send(message)
        case .call(let request, let call):
          let handled = await membership.room.handle(
            SignalRequest(id: request, call: call), session: membership.session, of: membership.user, outlet: outlet)
          if handled == .ended { isEnded = true }
        case .changeProfile(let params): outlet.add(.profileAnswer(params, await change(params, of: membership)))
        case .setSubscribers(let permissions):
          // It fails for a session that has ended.
          try? await membership.room.perform { [membership] core throws(RoomError) in
            try core.setSubscribers(permissions, of: membership.user, membership.session)
          }
        case .data(let action):
          if await perform(action, of: membership, outlet, &pace) == .ended { isEnded = true }
        case .close: socket.close(.sessionEnded)
        }
      }
      if isEnded { break }
    }
    if !isEnded { await membership.lost(outlet) }
    socket.close(.sessionEnded)
  }

  private struct Membership: Sendable {
    var room: Room
    var user: UserID
    var session: SessionID

    func lost(_ outlet: LiveKitOutlet) async {
      await room.perform { $0.connectionLost(session, of: user, ConnectionID(outlet)) }
    }
  }

  /// Joins the room. Returns nil, after an answer to the client, if it is not admitted.
  private func join(_ outlet: LiveKitOutlet) async -> (LiveKitMemory, Membership)? {
    var session = newSession()
    guard let params = session.begin(), let own = ownToken(&session) else { return finish(&session) }
    let memory = LiveKitMemory(session, of: outlet)
    let opensRoom = !token.agents.isEmpty && entrance.directory.summaries.withLock { $0[own.room] == nil }
    if opensRoom, let name = token.grants.room { await agents.announce(token.agents, for: name) }
    defer { if opensRoom { agents.withdraw(own.room) } }
    do throws(RoomError) {
      let annex = try place.annex
      let (room, joined) = try await entrance.enter(own) { room -> (Room, Result<SessionID, RoomError>)? in
        let profile = token.profile(client.joinRequest)
        let joined = await room.perform(on: outlet) { core, connection in
          core.join(
            own, params, request: 0, on: connection, annex: annex, traits: traits, profile: profile.isEmpty ? nil : profile,
            data: DataLink(channels: LiveKitPackets.channels, format: LiveKitFormat()), memory: memory)
        }
        return switch joined {
        case .joined(let session): (room, .success(session))
        case .refused(let error): (room, .failure(error))
        case .roomIsClosed: nil
        }
      }
      let id = try joined.get()
      entrance.admitted()
      return (memory, Membership(room: room, user: own.user, session: id))
    } catch {
      entrance.refused(error, room: own.room, user: own.user)
      entrance.log.info(
        "join refused",
        metadata: ["client": "\(address.map(\.host) ?? "")", "code": "\(error.code.rawValue)", "reason": "\(error.message)"])
      session.refuse(error)
      return finish(&session)
    }
  }

  /// Continues the client's session. Returns nil, after an answer to the client, if there is none: it then begins anew.
  private func resume(_ outlet: LiveKitOutlet) async -> (LiveKitMemory, Membership)? {
    var session = newSession()
    guard let own = ownToken(&session) else { return finish(&session) }
    do throws(RoomError) {
      let resumed = try await entrance.enter(own, creates: false) { room -> (LiveKitMemory, Membership)?? in
        guard let old = await room.read({ $0.returning(own.user) }), let memory = old.memory as? LiveKitMemory,
          memory.serves(client, LiveKitID.participant(own.user, joinedAt: old.joinedAt, in: own.room))
        else { return .some(nil) }
        var params = JoinParams(token: "", audioLevels: true, resume: old.session)
        params.since = memory.pass(to: outlet, token, client)
        let joined = await room.perform(on: outlet) { [params] in
          // The client's media stays at its server when the client resumes through another node.
          $0.join(own, params, request: 0, on: $1, annex: old.annex, traits: traits, memory: memory)
        }
        return switch joined {
        case .joined(let session): .some((memory, Membership(room: room, user: own.user, session: session)))
        case .refused: .some(nil)
        case .roomIsClosed: nil
        }
      }
      if let resumed { return resumed }
    } catch {
      entrance.log.info("resume refused", metadata: ["code": "\(error.code.rawValue)", "reason": "\(error.message)"])
    }
    session.refuseToResume()
    return finish(&session)
  }

  /// Moves the client to another room. If this server has or opens that room, the client keeps its connections; else it joins anew.
  private func move(
    _ membership: inout Membership, to name: RoomName, _ memory: LiveKitMemory, _ outlet: LiveKitOutlet
  ) async -> [LiveKitSession.Output]? {
    let (room, session, user) = (membership.room, membership.session, membership.user)
    var token = memory.token
    token.grants.room = ForeignName(id: name.rawValue)
    do throws(RoomError) {
      guard let own = try? token.roomToken else { throw RoomError(.tokenInvalid, "the name of the room is too long") }
      let (destination, outcome) = try await entrance.enter(own) { destination in
        (destination, await RoomTransfer(of: session, own, from: room, to: destination).perform(on: outlet))
      }
      switch outcome {
      case .moved(let session):
        entrance.admitted()
        membership = Membership(room: destination, user: user, session: session)
        return memory.change(by: outlet) { $0.move() }
      case .stays: throw RoomError(.joinFailed, "the client can't keep its connections")
      case .lost(let error):
        entrance.refused(error, room: name, user: own.user)
        return memory.change(by: outlet) { [room = token.grants.room] in if let room { $0.dismiss(to: room, at: Self.now) } }
      }
    } catch {
      entrance.log.info("client joins another room anew", metadata: ["room": "\(name)", "reason": "\(error.message)"])
      await room.perform { $0.dismiss(session, of: user, to: name) }
      return []
    }
  }

  private var traits: ClientTraits {
    var traits: ClientTraits = [.opensReceiving, .choosesTrackIDs, .moves, .keepsTransports, .awaitsSubscribers]
    if client.protocolNumber >= LiveKitClient.roomMovedProtocol { traits.insert(.changesRoom) }
    if token.kind == LiveKitToken.agentKind { traits.insert(.isAgent) }
    if client.hasSingleConnection { traits.insert(.hasSingleConnection) }
    return traits
  }

  private func newSession() -> LiveKitSession {
    LiveKitSession(
      token, client, newTrackID: { TrackID("TR_" + UUID().uuidString.filter { $0 != "-" }.prefix(16)) },
      sign: { [keys = entrance.keys] in try? keys.sign($0) })
  }

  /// The token in this server's form; nil, after the session has refused it, if it has none.
  private func ownToken(_ session: inout LiveKitSession) -> RoomToken? {
    do throws(TokenError) { return try token.roomToken } catch {
      session.refuse(error.roomError)
      return nil
    }
  }

  /// Changes what the client shows of itself. Returns why it can't.
  private func change(_ params: LiveKit.UpdateParticipantMetadata, of membership: Membership) async -> RoomError? {
    do throws(RoomError) {
      try await membership.room.perform { core throws(RoomError) in
        try core.changeProfile(of: membership.user, membership.session) {
          $0.merge(name: params.name, metadata: params.metadata, attributes: params.attributes)
        }
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
      await room.send { $0.messages(message, in: LiveKitFormat(), content: content, from: user, to: users) }
    case .send(let message): await room.send { $0.messages(message, in: LiveKitFormat(), to: [user]) }
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

  /// Sends what a session says that never joined.
  private func finish(_ session: inout LiveKitSession) -> (LiveKitMemory, Membership)? {
    for output in session.takeOutputs() { if case .send(let message) = output { send(message) } }
    return nil
  }

  private func read(_ message: ByteBuffer) -> LiveKit.SignalRequest? {
    do throws(MessageError) { return try LiveKit.SignalRequest(protobuf: Array(message.readableBytesView)) } catch {
      entrance.counters.count { $0.messagesMalformed += 1 }
      return nil
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
