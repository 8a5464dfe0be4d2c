import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomLinux
import RoomNodeLink
import RoomSFU
import RoomServer
import RoomWebRTC

/// An edge of a room, at the node that owns the room: its media is an annex of the room, and each of its clients a channel.
final class HostedEdge: MediaAnnex {
  private struct State {
    /// Tracks that this node sends to the edge, and those that it receives from there.
    var carried: [MediaTrackID: TrackStreams] = [:]
    var fetched: [MediaTrackID: TrackStreams] = [:]
    /// Tracks whose streams the edge has not announced yet.
    var awaited: [MediaTrackID: TrackInjection] = [:]
    /// The node that is to send a track to the edge.
    var sources: [MediaTrackID: Incarnation] = [:]
    /// Edges to which this one is to send tracks, until it announces the streams.
    var children: [Incarnation: HostedEdge] = [:]
    var clients: [Int: EdgeChannel] = [:]
    /// A message to several clients, which is sent once.
    var gathered: (message: ByteBuffer, to: [Int])?
    var statistics: [Int: CheckedContinuation<MediaStatistics, Never>] = [:]
    var lastRequest = 0
    var data = PassedData()
    var isClosed = false
  }

  /// Timeout of the statistics of an edge.
  private static let statisticsTime = Duration.seconds(2)

  /// How long the connection of a room that has ended stays open, unless the edge closes it after its last client.
  private static let farewellTime = Duration.seconds(10)

  /// The node of the edge, and the one that owns the room.
  let node: Incarnation
  private let owner: Incarnation
  private let socket: SignalSocket
  private let link: OpenLink
  private let links: NodeLinks
  private let state = Guarded(State())

  init(of node: Incarnation, owner: Incarnation, _ socket: SignalSocket, _ link: OpenLink, _ links: NodeLinks) {
    self.node = node
    self.owner = owner
    self.socket = socket
    self.link = link
    self.links = links
  }

  /// Informs the edge that it is a part of the room's media.
  func begin() { send(.begun(tree: EdgeHost.treeVersion)) }

  // MARK: Media

  /// Tracks that this node sends to the edge.
  var copies: Int { state.withLock { $0.carried.count } }

  var wakeDescriptor: Int32 { links.wakeDescriptor }

  func perform(_ order: MediaOrder) {
    if case .unpublish(let track) = order {
      state.withLock { state in
        state.carried.removeValue(forKey: track)?.end()
        state.fetched.removeValue(forKey: track)?.end()
        state.awaited[track] = nil
        state.sources[track] = nil
      }
    }
    send(.media(order))
  }

  func carry(_ track: MediaTrackID, _ parameters: RTPParameters, layers: Int) {
    send(.carry(track, parameters, layers: layers))
  }

  func feed(_ track: MediaTrackID, from injection: TrackInjection) {
    let stream = links.newStreams(TrackStreams.layers(of: injection).count)
    state.withLock { state in
      state.carried.updateValue(TrackStreams(sending: injection, at: stream, of: link), forKey: track)?.end()
      state.sources[track] = owner
    }
    send(.receive(track, stream: stream, from: owner))
  }

  func endFeeding(_ track: MediaTrackID, from injection: TrackInjection) {
    state.withLock { state in
      if state.carried[track]?.injection === injection { state.carried.removeValue(forKey: track)?.end() }
    }
  }

  func relay(_ track: MediaTrackID, from parent: any MediaAnnex, isContinued: Bool) {
    guard let parent = parent as? HostedEdge else { return }
    state.withLock { $0.sources[track] = parent.node }
    parent.state.withLock { if !$0.isClosed { $0.children[node] = self } }
    parent.send(.send(track, to: node, isContinued: isContinued))
  }

  func endRelaying(_ track: MediaTrackID, to child: any MediaAnnex) {
    guard let child = child as? HostedEdge else { return }
    send(.endSending(track, to: child.node))
  }

  func fetch(_ track: MediaTrackID, into injection: TrackInjection) {
    state.withLock { $0.awaited[track] = injection }
    send(.send(track, to: owner, isContinued: false))
  }

  func endFetching(_ track: MediaTrackID) {
    state.withLock { state in
      state.fetched.removeValue(forKey: track)?.end()
      state.awaited[track] = nil
    }
    send(.endSending(track, to: owner))
  }

  func send(_ message: DataMessage, to ids: [TransportID]) {
    let frame = state.withLock { $0.data.frame(message) }
    send(.data(frame, to: ids), ByteBuffer(bytes: message.payload))
  }

  /// Returns a message that a data channel of the edge received.
  func received(_ frame: DataFrame, _ payload: ByteBuffer) -> DataMessage {
    frame.message(payload, share: DataShare { [weak self] in self?.send(.dataPassed(frame.number, spent: $0)) })
  }

  func passed(_ number: Int, spent: Int) { _ = state.withLock { $0.data.passed(number, spent: spent) } }

  func statistics() async -> MediaStatistics {
    return await withCheckedContinuation { continuation in
      let request: Int? = state.withLock { state in
        guard !state.isClosed else { return nil }
        state.lastRequest += 1
        state.statistics[state.lastRequest] = continuation
        return state.lastRequest
      }
      guard let request else { return continuation.resume(returning: MediaStatistics()) }
      send(.statistics(request: request))
      _ = socket.schedule(in: Self.statisticsTime) { [weak self] in self?.answer(request, MediaStatistics()) }
    }
  }

  /// Takes the edge's statistics.
  func answer(_ request: Int, _ statistics: MediaStatistics) {
    state.withLock { $0.statistics.removeValue(forKey: request) }?.resume(returning: statistics)
  }

  /// Takes the stream at which the edge sends a track to a node.
  /// - Returns: the edge that can't be reached; nil if all is well.
  func sends(_ track: MediaTrackID, to node: Incarnation, at stream: UInt32?) -> HostedEdge? {
    if node == owner {
      if let stream { receive(track, at: stream) }
      return nil
    }
    guard let child = state.withLock({ $0.children[node] }), child.gets(track, from: self.node) else { return nil }
    guard let stream else { return child }
    child.send(.receive(track, stream: stream, from: self.node))
    return nil
  }

  private func gets(_ track: MediaTrackID, from node: Incarnation) -> Bool {
    state.withLock { !$0.isClosed && $0.sources[track] == node }
  }

  private func receive(_ track: MediaTrackID, at stream: UInt32) {
    state.withLock { state in
      guard let injection = state.awaited.removeValue(forKey: track) else { return }
      state.fetched.updateValue(TrackStreams(receiving: injection, at: stream, of: link), forKey: track)?.end()
    }
  }

  /// The clients still get what the room sends them at its end, such as the address of its next node.
  func close() {
    send(.end)
    _ = socket.schedule(in: Self.farewellTime) { [socket] in socket.close(.sessionEnded) }
  }

  /// Closes the connection, because the node has opened another one for the room.
  func replace() { socket.close(.replaced) }

  /// Ends the streams, and the conversations of all clients.
  func end() {
    let (clients, statistics, data) = state.withLock { state in
      for streams in [state.carried.values, state.fetched.values].joined() { streams.end() }
      (state.carried, state.fetched, state.awaited) = ([:], [:], [:])
      state.children = [:]
      state.isClosed = true
      defer { (state.clients, state.statistics, state.data) = ([:], [:], PassedData()) }
      return (Array(state.clients.values), Array(state.statistics.values), state.data)
    }
    // Freed outside the lock: a share informs the edge of the sender, which may be this one.
    _ = consume data
    for client in clients { client.lost() }
    for waiting in statistics { waiting.resume(returning: MediaStatistics()) }
  }

  // MARK: Clients

  func add(_ client: EdgeChannel) { state.withLock { $0.clients[client.number] = client } }
  func client(_ number: Int) -> EdgeChannel? { state.withLock { $0.clients[number] } }
  var clientCount: Int { state.withLock { $0.clients.count } }
  func remove(_ number: Int) { state.withLock { $0.clients[number] = nil } }

  /// Sends a message to a client. One that is sent to several in a row crosses once.
  func send(_ message: ByteBuffer, to client: Int) {
    let isFirst = state.withLock { state in
      if state.gathered?.message == message {
        state.gathered?.to.append(client)
        return false
      }
      flush(&state)
      state.gathered = (message, [client])
      return true
    }
    if isFirst { _ = socket.schedule(in: .zero) { [weak self] in self?.flush() } }
  }

  func close(_ client: Int, _ reason: CloseReason) { send(.close(client: client, reason)) }

  func schedule(in time: Duration, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void> {
    socket.schedule(in: time, body)
  }

  private func flush() { state.withLock { flush(&$0) } }

  private func flush(_ state: inout State) {
    guard let (message, to) = state.gathered else { return }
    state.gathered = nil
    if let frame = EdgeFrame.encode(EdgeOrder.message(to: to), message) { write(frame) }
  }

  private func send(_ order: EdgeOrder, _ body: ByteBuffer? = nil) {
    guard let frame = EdgeFrame.encode(order, body) else { return }
    state.withLock { state in
      flush(&state)
      write(frame)
    }
  }

  private func write(_ frame: ByteBuffer) { socket.send(SignalFrame.message(frame.readableBytesView, isBinary: true)) }
}
