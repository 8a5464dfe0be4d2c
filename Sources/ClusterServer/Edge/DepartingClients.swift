import RoomCluster
import RoomRTP
import RoomServer

/// Which clients of an edge that drains are asked to leave, and how long the drain waits for them.
struct DepartingClients {
  /// Clients that are asked in a call. A drain makes 50 a second, so that the next nodes get 250 connections a second.
  static let batch = 5
  /// Microseconds after which a client that is still there is asked again.
  static let pause: Int64 = 5_000_000
  /// Microseconds for which a drain waits after the last client was asked for the first time. Pages ask less often than others.
  static let patience: Int64 = 12_000_000

  /// Microseconds without a call after which another drain has begun.
  private static let interruption: Int64 = 2_000_000

  private struct Client {
    var channel: any SignalChannel
    var owner: Incarnation
    var asked: Instant?
  }

  private var clients: [Int: Client] = [:]
  private var last = 0
  private var askedSince: Instant?
  private var lastCall: Instant?

  mutating func add(_ channel: any SignalChannel, of owner: Incarnation) -> Int {
    last += 1
    clients[last] = Client(channel: channel, owner: owner)
    return last
  }

  mutating func remove(_ number: Int) { clients[number] = nil }

  private mutating func begin() {
    askedSince = nil
    for number in clients.keys { clients[number]?.asked = nil }
  }

  /// Takes the clients that are asked now.
  /// - Parameter isUsed: whether the node serves media of rooms of other nodes, also of others than these clients.
  mutating func takeDue(now: Instant, isUsed: Bool) -> [(channel: any SignalChannel, owner: Incarnation)] {
    if lastCall.map({ now - $0 > Self.interruption }) ?? true { begin() }
    lastCall = now
    guard isUsed else { return [] }
    let due = clients.filter { client in client.value.asked.map { now - $0 >= Self.pause } ?? true }
      .sorted { $0.key < $1.key }.prefix(Self.batch)
    if askedSince == nil || due.contains(where: { $0.value.asked == nil }) { askedSince = now }
    for number in due.map(\.key) { clients[number]?.asked = now }
    return due.map { ($0.value.channel, $0.value.owner) }
  }

  /// Whether a drain waits for clients.
  func waits(now: Instant, isUsed: Bool) -> Bool {
    guard isUsed, let askedSince else { return false }
    return now - askedSince < Self.patience
  }
}
