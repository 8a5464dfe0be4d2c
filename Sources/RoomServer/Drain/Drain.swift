import Foundation
import Logging
import RoomOriginServer
import RoomCluster
import RoomEngine
import RoomLinux
import RoomProtocol
import RoomRTP

/// Drains a server before it ends: no room is opened any more, and open rooms continue until they are empty, or until the
/// deadline. In a cluster they move to other nodes.
actor Drain {
  /// The time between two counts of the activity that is left.
  private static let step = Duration.milliseconds(200)
  /// The time between two looks for moves that are due.
  private static let moveStep = Duration.milliseconds(20)
  /// Maximum time after the deadline in which moves that are under way end.
  private static let moveTime: Int64 = 5000

  /// The activity that is left on the server.
  struct Load: Sendable {
    var rooms = 0
    var participants = 0
    var viewers = 0
    /// Live streams at the origin.
    var streams = 0
    /// Those of them that encoders publish. The others end with their rooms.
    var encoders = 0

    var isNone: Bool { participants + viewers + encoders == 0 }
  }

  private let directory: RoomDirectory
  private let origin: Origin
  private let history: History
  /// Nil for a server that runs all rooms alone.
  private let moves: (any RoomMoving)?
  /// Serves clients of rooms of other nodes; nil if this server serves none.
  private let relay: (any SignalRelay)?
  private var departures: Departures?
  /// The number of rooms that have moved to other nodes since the drain began.
  private(set) var moved = 0
  private let log: Logger
  private var work: Task<Void, Never>?
  private var isFinished = false
  private var waiting: [AsyncStream<Never>.Continuation] = []

  init(
    _ directory: RoomDirectory, origin: Origin, history: History, moves: (any RoomMoving)? = nil,
    relay: (any SignalRelay)? = nil,
    log: Logger
  ) {
    self.moves = moves
    self.relay = relay
    self.directory = directory
    self.origin = origin
    self.history = history
    self.log = log
  }

  /// Starts a drain, or changes its time and redirect.
  func begin(for time: Duration, redirect: String?) async {
    let now = RoomTime.now.unix
    let begun = await directory.drain
    let order = DrainOrder(
      startedAt: begun?.startedAt ?? now, deadline: now + max(0, time.milliseconds), redirect: redirect ?? begun?.redirect)
    await directory.setDrain(order)
    let load = await load()
    log.notice(
      "draining",
      metadata: ["seconds": "\(time.components.seconds)", "redirect": "\(order.redirect ?? "")", "load": "\(load)"])
    history.tell(HistoryEvent(.drainStarted, detail: order.redirect?.shownURL))
    work?.cancel()
    if begun == nil { moved = 0 }
    // Moves that are under way are still counted.
    if departures?.isMoving != true {
      departures = Departures(until: .now.advanced(milliseconds: max(0, order.deadline - now)), now: .now)
    }
    work = Task { await self.run(until: order.deadline, since: .now) }
  }

  /// Cancels the drain.
  func cancel() async {
    work?.cancel()
    work = nil
    guard await directory.drain != nil else { return }
    await directory.setDrain(nil)
    log.notice("drain cancelled")
    history.tell(HistoryEvent(.drainCancelled))
  }

  /// Stops waiting, because the server ends.
  func end() { work?.cancel() }

  /// Returns when a drain has ended, because the server is empty or the time is up, or when the calling task is cancelled.
  func isOver() async {
    guard !isFinished else { return }
    let (end, waiting) = AsyncStream.makeStream(of: Never.self)
    self.waiting.append(waiting)
    for await _ in end {}
  }

  private func run(until deadline: Int64, since begin: Instant) async {
    var counted: Instant?
    while !Task.isCancelled {
      let isLate = RoomTime.now.unix >= deadline
      if !isLate { startMoves() }
      let isMoving = departures?.isMoving ?? false
      let awaitsClients = departures?.awaitsClients(at: .now) ?? false
      let hasClients = await relay?.handOver(now: .now) ?? false
      if counted.map({ Instant.now - $0 >= Self.step.microseconds }) ?? true {
        counted = .now
        let (load, waits) = (await load(), await waitsForPages(since: begin))
        let isEmpty = load.isNone && !waits && !isMoving && !awaitsClients && !hasClients && !(moves?.isPending ?? false)
        if isEmpty || isLate && (!isMoving || RoomTime.now.unix >= deadline + Self.moveTime) {
          // The drain was not cancelled meanwhile.
          guard !Task.isCancelled else { return }
          return finish(load)
        }
      }
      try? await Task.sleep(for: moves == nil ? Self.step : Self.moveStep)
    }
  }

  private func finish(_ load: Load) {
    log.notice("drained", metadata: ["load": "\(load)", "moved": "\(moved)"])
    history.tell(HistoryEvent(.drainEnded))
    isFinished = true
    for waiting in waiting { waiting.finish() }
    waiting = []
  }

  private func startMoves() {
    guard let moves, var departures else { return }
    let due = moves.due(&departures, now: .now)
    self.departures = departures
    for move in due {
      Task {
        let rooms = await moves.carryOut(move)
        self.moved += rooms.count
        self.departures?.ended(move, hasMoved: rooms.count == move.rooms.count, now: .now)
      }
    }
  }

  /// Whether a watch page may be open that has not asked since the drain began, and does not know the next server yet.
  private func waitsForPages(since begin: Instant) async -> Bool {
    guard await directory.drain?.redirect != nil, let last = await directory.lastPage else { return false }
    return Instant.now - begin < RoomDirectory.longestPagePause && begin - last < RoomDirectory.longestPagePause
  }

  func load() async -> Load {
    var load = Load()
    for room in await directory.all {
      let people = await room.read(\.people)
      load.rooms += 1
      load.participants += people.participants
      load.viewers += people.viewers
    }
    let publishers = origin.list.compactMap(\.publish?.publisher)
    load.streams = publishers.count { $0.isOriginal }
    load.encoders = publishers.count { $0.isOriginal && $0 != .job }
    return load
  }
}
