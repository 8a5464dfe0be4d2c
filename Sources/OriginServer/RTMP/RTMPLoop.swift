import HTTPServer
import LiveOrigin
import NIOCore
import RTMP
import RTP
import WebRTC

/// The RTMP connections of one event loop, and the streams that they watch. Belongs to that loop.
final class RTMPLoop {
  let origin: Origin
  let loop: any EventLoop
  private var connections: [ObjectIdentifier: (connection: RTMPConnection, place: ConnectionsPerAddress.Place?)] = [:]
  private let peers: ConnectionsPerAddress
  private var audiences: [StreamPath: RTMPAudience] = [:]
  private var sweeping: RepeatedTask?
  private var isStopped = false

  /// Those that have not said yet what they want, by the order of their coming.
  private var silent: [Int: (connection: RTMPConnection, address: TransportAddress?)] = [:]
  private var lastSilent = 0
  private var oldestSilent = 1
  private let silentLimit: Int

  /// Between two looks at what is overdue.
  private static let sweep = TimeAmount.milliseconds(500)

  /// To be made on the loop.
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

  /// Takes a new connection; nil if there are too many. The number is that of its place among the silent ones.
  func add(_ connection: RTMPConnection, from address: TransportAddress?) -> Int? {
    guard !isStopped else { return nil }
    guard case .admitted(let place) = peers.enter(address) else {
      origin.counters.count(.address)
      return nil
    }
    guard origin.counters.open(limit: origin.settings.connections) else {
      origin.counters.count(.connections)
      return nil
    }
    connections[ObjectIdentifier(connection)] = (connection, place)
    if silent.count >= silentLimit { closeSilent(for: address?.subscriber) }
    lastSilent += 1
    silent[lastSilent] = (connection, address?.subscriber)
    return lastSilent
  }

  /// Makes room for a connection from an address: whoever opens many that say nothing is in the way of nobody else.
  private func closeSilent(for address: TransportAddress?) {
    while oldestSilent < lastSilent, silent[oldestSilent] == nil { oldestSilent += 1 }
    let ownOldest = silent.lazy.filter { $0.value.address == address }.map(\.key).min()
    let oldest = silent.removeValue(forKey: ownOldest ?? oldestSilent)
    origin.counters.count(.silent)
    oldest?.connection.close()
  }

  /// The connection has said what it wants.
  func spoke(_ number: Int) { silent[number] = nil }

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

  /// Those of this loop who watch a stream.
  func audience(of path: StreamPath) -> RTMPAudience {
    if let audience = audiences[path] { return audience }
    let audience = RTMPAudience(origin, path, loop)
    audiences[path] = audience
    return audience
  }

  /// A viewer of the audience has left.
  func leave(_ audience: RTMPAudience) {
    audience.viewers -= 1
    if audience.viewers <= 0, audiences[audience.path] === audience { audiences[audience.path] = nil }
  }
}
