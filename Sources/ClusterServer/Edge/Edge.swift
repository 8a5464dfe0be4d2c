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
    var received: LayerStreams
    var sent: LayerStreams
    var clients: [Int: any SignalChannel] = [:]
    var lastClient = 0
    var isOver = false
  }

  /// The owner of the room.
  let member: ClusterMember
  private let media: MediaRoom
  private let socket: NodeSocket
  private let links: NodeLinks
  private let counters: EdgeCounters
  private let state: Guarded<State>
  private let events: AsyncStream<MediaEvent>

  /// - Parameter plane: opens the room's media here.
  init(
    at member: ClusterMember, _ socket: NodeSocket, _ link: OpenLink, _ links: NodeLinks, plane: MediaPlane,
    counters: EdgeCounters
  ) {
    self.member = member
    self.socket = socket
    self.links = links
    self.counters = counters
    state = Guarded(State(received: LayerStreams(link, isSending: false), sent: LayerStreams(link, isSending: true)))
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
      group.addTask { for await event in self.events { self.send(.media(event)) } }
      group.addTask { [socket] in
        while (try? await Task.sleep(for: .milliseconds(500))) != nil, isMember() {}
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
      state.received.endAll()
      state.sent.endAll()
      defer { state.clients = [:] }
      return Array(state.clients.values)
    }
    media.close()
    counters.clients.subtract(clients.count, ordering: .relaxed)
    // They return, to this node or another one, which knows the room's next owner.
    for client in clients { client.close(.serverStopping) }
  }

  /// Closes the edge, with the conversations of all clients.
  func close() { socket.close() }

  // MARK: Orders

  private func carryOut(_ order: EdgeOrder, _ body: ByteBuffer) {
    switch order {
    case .media(let order):
      media.perform(order)
      if case .unpublish(let track) = order { endStreams(of: track) }
    case .carry(let track, let parameters, let layers, let stream): receive(track, parameters, layers, stream)
    case .fetch(let track): fetch(track)
    case .endFetching(let track):
      if let injection = state.withLock({ $0.sent.end(track) }) { media.unlink(track, from: injection) }
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

  private func send(_ statistics: MediaStatistics, for request: Int) {
    let frame = EdgeFrame.encode(EdgeNotice.statistics(request: request, statistics))
    // Those of a very large room are not worth its connection.
    if let frame, frame.readableBytes <= NodeSocket.messageBytes { return socket.send(frame) }
    send(.statistics(request: request, MediaStatistics()))
  }

  private func receive(_ track: MediaTrackID, _ parameters: RTPParameters, _ layers: Int, _ stream: UInt32) {
    let known = state.withLock { $0.received.stream(of: track) == stream ? $0.received.injection(of: track) : nil }
    if let known { return media.change(track, parameters: parameters, injection: known) }
    let injection = media.receive(track, parameters: parameters, layers: layers, isReported: false)
    state.withLock { $0.received.begin(track, injection, at: stream) }
  }

  private func fetch(_ track: MediaTrackID) {
    guard let injection = media.link(track, waking: links.wakeDescriptor, of: links) else { return }
    let stream = state.withLock { state in
      let stream = links.newStreams(LayerStreams.layers(of: injection).count)
      state.sent.begin(track, injection, at: stream)
      return stream
    }
    send(.sends(track, stream: stream))
  }

  private func endStreams(of track: MediaTrackID) {
    state.withLock { state in
      state.received.end(track)
      state.sent.end(track)
    }
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
    counters.clients.add(1, ordering: .relaxed)
    send(.opened(client: number, address: address))
    return number
  }

  func pass(_ message: ByteBuffer, from client: Int) { send(.message(from: client), message) }

  /// Reports that a client is gone. Closes the edge after its last one.
  func lost(_ client: Int) { if remove(client) != nil { send(.lost(client: client)) } }

  private func remove(_ client: Int) -> (any SignalChannel)? {
    let (removed, isEmpty, isOver) = state.withLock { state in
      let removed = state.clients.removeValue(forKey: client)
      return (removed, state.clients.isEmpty, state.isOver)
    }
    guard let removed else { return nil }
    counters.clients.subtract(1, ordering: .relaxed)
    if isEmpty { if isOver { socket.close() } else { closeIfUnused() } }
    return removed
  }

  /// How long an edge without clients stays: one of them may return.
  private static let idleTime = Duration.seconds(2)

  private func closeIfUnused() {
    Task { [weak self] in
      try? await Task.sleep(for: Self.idleTime)
      guard let self else { return }
      let isUnused = self.state.withLock { state in
        // No client is added from now on.
        if state.clients.isEmpty { state.isOver = true }
        return state.clients.isEmpty
      }
      if isUnused { self.socket.close() }
    }
  }
}
