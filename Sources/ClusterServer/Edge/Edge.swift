import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomLinux
import RoomNodeLink
import RoomProtocol
import RoomSFU
import RoomServer
import RoomWebRTC
import Synchronization

/// This node as an edge of a room of another node: the transports of its clients and the tracks that they need are here, their
/// requests are answered by the owner of the room.
final class Edge: Sendable {
  private struct State {
    var received: [MediaTrackID: ReceivedTrack] = [:]
    /// By the node that gets them.
    var sent: [Incarnation: [MediaTrackID: TrackStreams]] = [:]
    var clients: [Int: any SignalChannel] = [:]
    var lastClient = 0
    /// The transports of clients, whose conversations may be elsewhere.
    var transports: Set<TransportID> = []
    /// What keeps the edge open besides: see ``EdgeHold``.
    var holds = 0
    var data = PassedData()
    /// Whether the owner knows the edge, and who waits for that.
    var hasBegun = false
    var awaitsBegin: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastWaiter = 0
    var isOver = false
    /// Whether the owner knows that the edge only sends tracks on.
    var isIdle = false

    /// Ends the streams of a track that has ended.
    mutating func end(_ track: MediaTrackID) {
      received.removeValue(forKey: track)?.end()
      for node in sent.keys { _ = endSending(track, to: node) }
    }

    /// Returns the injection of a track that was sent.
    mutating func endSending(_ track: MediaTrackID, to node: Incarnation) -> TrackInjection? {
      let streams = sent[node]?.removeValue(forKey: track)
      if sent[node]?.isEmpty ?? false { sent[node] = nil }
      streams?.end()
      return streams?.injection
    }

    var hasClients: Bool { !clients.isEmpty || !transports.isEmpty || holds > 0 }
    var isUnused: Bool { !hasClients && sent.isEmpty }
  }

  private static let watchInterval = Duration.milliseconds(250)

  /// The owner of the room.
  let member: ClusterMember
  private let media: MediaRoom
  private let socket: NodeSocket
  private let reach: EdgeReach
  private let counters: EdgeCounters
  private let state = Guarded(State())
  private let events: AsyncStream<MediaEvent>

  /// - Parameter plane: opens the room's media here.
  init(at member: ClusterMember, _ socket: NodeSocket, _ reach: EdgeReach, plane: MediaPlane, counters: EdgeCounters) {
    self.member = member
    self.socket = socket
    self.reach = reach
    self.counters = counters
    let (events, reported) = AsyncStream.makeStream(of: MediaEvent.self)
    self.events = events
    media = plane.openRoom { reported.yield($0) }
    send(.begins(MediaAnnexAddresses(fingerprint: plane.fingerprint, candidates: media.allCandidates)))
  }

  private func send(_ notice: EdgeNotice, _ body: ByteBuffer? = nil) {
    if let frame = EdgeFrame.encode(notice, body) { socket.send(frame) }
  }

  /// Carries out the owner's orders until the socket is closed, or the owner is no member any more.
  func run(isMember: @escaping @Sendable () -> Bool) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await event in self.events { self.report(event) } }
      group.addTask { [socket] in
        while (try? await Task.sleep(for: Self.watchInterval)) != nil, isMember() { self.reportSilence() }
        socket.close()
      }
      for await message in socket.messages {
        guard let (order, body) = EdgeFrame.decode(EdgeOrder.self, message) else { break }
        carryOut(order, body)
        socket.consumed()
      }
      group.cancelAll()
    }
    end()
  }

  private func end() {
    socket.close()
    let clients = state.withLock { state in
      state.isOver = true
      for track in state.received.values { track.end() }
      for tracks in state.sent.values { for streams in tracks.values { streams.end() } }
      defer { (state.clients, state.transports) = ([:], []) }
      return Array(state.clients.values)
    }
    begun(false)
    media.close()
    counters.clients.subtract(clients.count, ordering: .relaxed)
    // They return, to this node or another one, which knows the room's next owner.
    for client in clients { client.close(.serverStopping) }
  }

  /// Copies of tracks that this node sends to other edges of the room.
  var copies: Int {
    state.withLock { state in state.sent.reduce(0) { $0 + ($1.key == member.incarnation ? 0 : $1.value.count) } }
  }

  /// Closes the edge, with the conversations of all clients.
  func close() { socket.close() }

  // MARK: Orders

  private func carryOut(_ order: EdgeOrder, _ body: ByteBuffer) {
    switch order {
    case .begun(let version): if version == EdgeHost.treeVersion { begun(true) } else { socket.close() }
    case .media(let order):
      media.perform(order)
      switch order {
      case .open(let id, _, _): state.withLock { _ = $0.transports.insert(id) }
      case .close(let id): if leave({ _ = $0.transports.remove(id) }) { closeIfUnused() }
      case .unpublish(let track): if leave({ $0.end(track) }) { closeIfUnused() }
      default: break
      }
    case .carry(let track, let parameters, let layers): carry(track, parameters, layers)
    case .receive(let track, let stream, let node): receive(track, stream, from: node)
    case .send(let track, let node, let isContinued): send(track, to: node, isContinued: isContinued)
    case .endSending(let track, let node): endSending(track, to: node)
    case .data(let frame, let transports):
      let share = DataShare { [weak self] in self?.send(.dataPassed(frame.number, spent: $0)) }
      media.send(frame.message(body, share: share), to: transports)
    case .dataPassed(let number, let spent): _ = state.withLock { $0.data.passed(number, spent: spent) }
    case .statistics(let request):
      Task { [media] in send(await media.statistics(), for: request) }
    case .message(let numbers):
      let clients = state.withLock { state in numbers.compactMap { state.clients[$0] } }
      for client in clients { if clients.count > 1 { client.gather(body, .short) } else { client.send(body) } }
    case .close(let number, let reason): remove(number)?.close(reason)
    case .end:
      let isUnused = state.withLock { state in
        state.isOver = true
        return state.clients.isEmpty
      }
      media.close()
      if isUnused { socket.close() }
    }
  }

  private func report(_ event: MediaEvent) {
    guard case .messageReceived(let transport, let message) = event else { return send(.media(event)) }
    let frame = state.withLock { $0.data.frame(message) }
    send(.data(frame, from: transport), ByteBuffer(bytes: message.payload))
  }

  private func send(_ statistics: MediaStatistics, for request: Int) {
    let frame = EdgeFrame.encode(EdgeNotice.statistics(request: request, statistics))
    // Those of a very large room are not worth its connection.
    if let frame, frame.readableBytes <= NodeSocket.messageBytes { return socket.send(frame) }
    send(.statistics(request: request, MediaStatistics()))
  }

  // MARK: Tracks

  private func carry(_ track: MediaTrackID, _ parameters: RTPParameters, _ layers: Int) {
    if let known = state.withLock({ $0.received[track]?.injection }) {
      return media.change(track, parameters: parameters, injection: known)
    }
    let injection = media.receive(track, parameters: parameters, layers: layers, isReported: false)
    state.withLock { $0.received[track] = ReceivedTrack(injection) }
  }

  private func receive(_ track: MediaTrackID, _ stream: UInt32, from node: Incarnation) {
    guard let link = reach.link(to: node) else { return send(.misses(node)) }
    let isFirst = state.withLock { state in
      state.received[track]?.begin(at: stream, of: link, from: node) { [weak self] in
        self?.continues(track, stream, from: node)
      } ?? true
    }
    if isFirst { return send(.receives(track, from: node)) }
    // A lost record must not keep both streams.
    Task { [weak self] in
      try? await Task.sleep(for: ReceivedTrack.overlap)
      self?.settle(track, stream, from: node)
    }
  }

  /// Asks for another parent if nothing arrives from the present one.
  private func reportSilence() {
    let sources = state.withLock { Set($0.received.values.compactMap(\.source)) }
    for node in sources where node != member.incarnation && reach.links.isSilent(node) { send(.misses(node)) }
  }

  /// Notes that a layer of a track is complete up to now over its new link.
  private func continues(_ track: MediaTrackID, _ stream: UInt32, from node: Incarnation) {
    if state.withLock({ $0.received[track]?.continues(at: stream) ?? false }) { settle(track, stream, from: node) }
  }

  private func settle(_ track: MediaTrackID, _ stream: UInt32, from node: Incarnation) {
    if state.withLock({ $0.received[track]?.settle(at: stream) ?? false }) { send(.receives(track, from: node)) }
  }

  private func send(_ track: MediaTrackID, to node: Incarnation, isContinued: Bool) {
    guard let link = reach.link(to: node),
      let injection = media.link(track, waking: reach.links.wakeDescriptor, of: reach.links, isContinued: isContinued)
    else { return send(.sends(track, to: node, stream: nil)) }
    let stream = reach.links.newStreams(TrackStreams.layers(of: injection).count)
    let former = state.withLock { state in
      let former = state.endSending(track, to: node)
      state.sent[node, default: [:]][track] = TrackStreams(sending: injection, at: stream, of: link)
      return former
    }
    if let former { media.unlink(track, from: former) }
    send(.sends(track, to: node, stream: stream))
  }

  private func endSending(_ track: MediaTrackID, to node: Incarnation) {
    let (injection, isUnused) = state.withLock { state in
      (state.endSending(track, to: node), state.isUnused && !state.isOver)
    }
    if let injection { media.unlink(track, from: injection) }
    if isUnused { closeIfUnused() }
  }

  // MARK: Clients

  /// Adds a client. Returns its number; nil if the edge has ended.
  func add(_ client: any SignalChannel, at address: String?) -> Int? {
    let number: Int? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastClient += 1
      state.clients[state.lastClient] = client
      return state.lastClient
    }
    guard let number else { return nil }
    used()
    counters.clients.add(1, ordering: .relaxed)
    send(.opened(client: number, address: address))
    return number
  }

  func pass(_ message: ByteBuffer, from client: Int) { send(.message(from: client), message) }

  /// Reports that a client is gone. Closes the edge after its last one.
  func lost(_ client: Int) { if remove(client) != nil { send(.lost(client: client)) } }

  private func remove(_ client: Int) -> (any SignalChannel)? {
    let (removed, isUnused, isOver) = state.withLock { state in
      let removed = state.clients.removeValue(forKey: client)
      return (removed, !state.hasClients, state.isOver)
    }
    guard let removed else { return nil }
    counters.clients.subtract(1, ordering: .relaxed)
    if isUnused { if isOver { socket.close() } else { closeIfUnused() } }
    return removed
  }

  // MARK: Other uses

  /// Keeps the edge open until ``release()``. Returns false if it is over.
  func hold() -> Bool {
    let isHeld = state.withLock { state in
      if !state.isOver { state.holds += 1 }
      return !state.isOver
    }
    if isHeld { used() }
    return isHeld
  }

  func release() { if leave({ $0.holds -= 1 }) { closeIfUnused() } }

  /// Waits until the owner knows the edge. Returns false if the edge ends, or the time limit expires first.
  func hasBegun(within limit: Duration) async -> Bool {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let deadline = Task { [weak self] in
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      self?.state.withLock { $0.awaitsBegin.removeValue(forKey: number) }?.resume(returning: false)
    }
    defer { deadline.cancel() }
    return await withCheckedContinuation { waiter in
      let known: Bool? = state.withLock { state in
        if state.hasBegun || state.isOver { return state.hasBegun && !state.isOver }
        state.awaitsBegin[number] = waiter
        return nil
      }
      if let known { waiter.resume(returning: known) }
    }
  }

  private func begun(_ isKnown: Bool) {
    let waiting = state.withLock { state in
      if isKnown { state.hasBegun = true }
      defer { state.awaitsBegin = [:] }
      return Array(state.awaitsBegin.values)
    }
    for waiter in waiting { waiter.resume(returning: isKnown) }
  }

  /// Applies a change. Returns whether the edge has no clients since.
  private func leave(_ change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      change(&state)
      return !state.hasClients && !state.isOver
    }
  }

  /// Informs the owner that an edge which only sent tracks on has clients again.
  private func used() {
    let wasIdle = state.withLock { state in
      defer { state.isIdle = false }
      return state.isIdle
    }
    if wasIdle { send(.idle(false)) }
  }

  /// How long an unused edge stays: a client may return.
  private static let idleTime = Duration.seconds(2)

  private func closeIfUnused() {
    Task { [weak self] in
      try? await Task.sleep(for: Self.idleTime)
      guard let self else { return }
      let (isUnused, isIdle) = self.state.withLock { state in
        // No client is added from now on.
        if state.isUnused { state.isOver = true }
        let isIdle = !state.hasClients && !state.isUnused && !state.isIdle
        if isIdle { state.isIdle = true }
        return (state.isUnused, isIdle)
      }
      if isUnused { self.socket.close() }
      if isIdle { self.send(.idle(true)) }
    }
  }
}
