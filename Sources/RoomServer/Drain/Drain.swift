import Foundation
import Logging
import RoomOriginServer
import RoomEngine
import RoomLinux
import RoomProtocol
import RoomRTP

/// Drains a server before it ends: no room is opened any more, and open rooms continue until they are empty, or until the
/// deadline.
actor Drain {
  private static let step = Duration.milliseconds(200)

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
  private let log: Logger
  private var work: Task<Void, Never>?
  private var isFinished = false
  private var waiting: [AsyncStream<Never>.Continuation] = []

  init(_ directory: RoomDirectory, origin: Origin, history: History, log: Logger) {
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
    while !Task.isCancelled {
      let (load, waits) = (await load(), await waitsForPages(since: begin))
      if RoomTime.now.unix >= deadline || load.isNone && !waits {
        // The drain was not cancelled meanwhile.
        guard !Task.isCancelled else { return }
        log.notice("drained", metadata: ["load": "\(load)"])
        history.tell(HistoryEvent(.drainEnded))
        isFinished = true
        for waiting in waiting { waiting.finish() }
        waiting = []
        return
      }
      try? await Task.sleep(for: Self.step)
    }
  }

  /// Whether a watch page may be open that has not asked since the drain began, and does not know the next server yet.
  private func waitsForPages(since begin: Instant) async -> Bool {
    guard await directory.drain?.redirect != nil, let last = await directory.lastPage else { return false }
    return Instant.now - begin < WatchAPI.longestPause && begin - last < WatchAPI.longestPause
  }

  func load() async -> Load {
    var load = Load()
    for room in await directory.all {
      let people = await room.people
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
