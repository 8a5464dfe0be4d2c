import RoomHTTPServer
import RoomLiveOrigin
import NIOCore
import RoomRTMP
import RoomRTP
import RoomWebRTC

/// The RTMP connections of one event loop, and the streams that they watch. Belongs to that loop.
final class RTMPLoop {
  let origin: Origin
  let loop: any EventLoop
  private var connections: [ObjectIdentifier: (connection: RTMPConnection, reservation: ConnectionsPerAddress.Reservation?)] =
    [:]
  private let peers: ConnectionsPerAddress
  private var audiences: [StreamPath: RTMPAudience] = [:]
  private var sweeping: RepeatedTask?
  private var isStopped = false

  /// The connections that have sent no request yet, in order of their arrival.
  private var silent: [Int: (connection: RTMPConnection, address: TransportAddress?)] = [:]
  private var lastSilent = 0
  private var oldestSilent = 1
  private let silentLimit: Int

  /// The interval between two checks of timeouts.
  private static let sweep = TimeAmount.milliseconds(500)

  /// Must be called on the loop.
  init(_ origin: Origin, _ loop: any EventLoop, _ peers: ConnectionsPerAddress) {
    self.origin = origin
    self.peers = peers
    self.loop = loop
    let threads = max(1, origin.group.makeIterator().reduce(0) { count, _ in count + 1 })
    silentLimit = max(1, origin.settings.silentConnections / threads)
    let bound = NIOLoopBound(Weak(self), eventLoop: loop)
    sweeping = loop.scheduleRepeatedTask(initialDelay: Self.sweep, delay: Self.sweep) { task in
      guard let loop = bound.value.loop else { return task.cancel() }
      loop.advance()
    }
  }

  private final class Weak {
    weak var loop: RTMPLoop?
    init(_ loop: RTMPLoop) { self.loop = loop }
  }

  // MARK: Connections

  /// Adds a new connection. Returns its number among the silent ones; nil if there are too many connections.
  func add(_ connection: RTMPConnection, from address: TransportAddress?) -> Int? {
    guard !isStopped else { return nil }
    guard case .admitted(let reservation) = peers.enter(address) else {
      origin.counters.count(.address)
      return nil
    }
    guard origin.counters.open(limit: origin.settings.connections) else {
      origin.counters.count(.connections)
      return nil
    }
    connections[ObjectIdentifier(connection)] = (connection, reservation)
    if silent.count >= silentLimit { closeSilent(for: address?.subscriber) }
    lastSilent += 1
    silent[lastSilent] = (connection, address?.subscriber)
    return lastSilent
  }

  /// Closes a silent connection in favour of a new one. An address with many silent connections loses its own first.
  private func closeSilent(for address: TransportAddress?) {
    while oldestSilent < lastSilent, silent[oldestSilent] == nil { oldestSilent += 1 }
    let ownOldest = silent.lazy.filter { $0.value.address == address }.map(\.key).min()
    let oldest = silent.removeValue(forKey: ownOldest ?? oldestSilent)
    origin.counters.count(.silent)
    oldest?.connection.close()
  }

  /// Removes a connection from the silent ones, because it has sent a request.
  func sentRequest(_ number: Int) { silent[number] = nil }

  func remove(_ connection: RTMPConnection, silent number: Int) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    silent[number] = nil
    origin.counters.closed()
  }

  private func advance() {
    let now = Origin.now()
    for (connection, _) in Array(connections.values) { connection.advance(to: now) }
  }

  func stop() {
    isStopped = true
    sweeping?.cancel()
    for (connection, _) in Array(connections.values) { connection.end() }
    audiences = [:]
  }

  // MARK: Audiences

  /// Returns the viewers of a stream on this loop.
  func audience(of path: StreamPath) -> RTMPAudience {
    if let audience = audiences[path] { return audience }
    let audience = RTMPAudience(origin, path, loop)
    audiences[path] = audience
    return audience
  }

  /// Removes a viewer from an audience.
  func leave(_ audience: RTMPAudience) {
    audience.viewers -= 1
    if audience.viewers <= 0, audiences[audience.path] === audience { audiences[audience.path] = nil }
  }
}
