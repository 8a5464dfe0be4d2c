import Foundation
import Logging
import OriginServer
import RoomProtocol

/// What a server that runs empty was told.
struct DrainOrder: Sendable {
  /// Milliseconds since 1970.
  var startedAt: Int64
  /// Milliseconds since 1970: who is still here then is sent away.
  var deadline: Int64
  /// The signalling URL of the server that takes over; nil where none is known.
  var redirect: String?

  /// What is wrong with a URL to redirect to; nil where nothing is.
  static func complaint(redirect: String) -> String? {
    let scheme = redirect.firstMatch(of: /^wss?:\/\/[^\/?#]+/)
    return scheme != nil && redirect.utf8.count <= 1024 ? nil : "ws:// or wss:// and the host of another server are needed"
  }

  /// What a client that comes too late is told.
  func error(_ code: ErrorCode) -> RoomError {
    RoomError(
      code, "the server opens no rooms any more; " + (redirect.map { "go to \($0)" } ?? "try again in a moment"),
      redirect: redirect)
  }
}

/// Lets a server run empty before it ends: no room is opened any more, those that are open go on until nobody is in them, or until
/// the deadline.
actor Drain {
  private static let step = Duration.milliseconds(200)

  /// What is still going on.
  struct Load: Sendable {
    var rooms = 0
    var participants = 0
    var viewers = 0
    /// Live streams that encoders publish to the origin.
    var streams = 0

    var isNone: Bool { participants + viewers + streams == 0 }
  }

  private let directory: RoomDirectory
  private let origin: Origin
  private let log: Logger
  private var work: Task<Void, Never>?
  private var isFinished = false
  private var waiting: [AsyncStream<Never>.Continuation] = []

  init(_ directory: RoomDirectory, origin: Origin, log: Logger) {
    self.directory = directory
    self.origin = origin
    self.log = log
  }

  /// Begins, or changes what was ordered.
  func begin(for time: Duration, redirect: String?) async {
    let now = Room.milliseconds
    let begun = await directory.drain
    let order = DrainOrder(
      startedAt: begun?.startedAt ?? now, deadline: now + max(0, time.milliseconds), redirect: redirect ?? begun?.redirect)
    await directory.setDrain(order)
    let load = await load()
    log.notice(
      "draining",
      metadata: ["seconds": "\(time.components.seconds)", "redirect": "\(order.redirect ?? "")", "load": "\(load)"])
    work?.cancel()
    work = Task { await self.run(until: order.deadline) }
  }

  /// Goes on as before.
  func cancel() async {
    work?.cancel()
    work = nil
    guard await directory.drain != nil else { return }
    await directory.setDrain(nil)
    log.notice("draining no more")
  }

  /// The server ends.
  func end() { work?.cancel() }

  /// Returns when a drain is over: nobody is here any more, or its time is up; and when the calling task is cancelled.
  func isOver() async {
    guard !isFinished else { return }
    let (end, waiting) = AsyncStream.makeStream(of: Never.self)
    self.waiting.append(waiting)
    for await _ in end {}
  }

  private func run(until deadline: Int64) async {
    while !Task.isCancelled {
      let load = await load()
      if load.isNone || Room.milliseconds >= deadline {
        // Nothing was called off meanwhile.
        guard !Task.isCancelled else { return }
        log.notice("drained", metadata: ["load": "\(load)"])
        isFinished = true
        for waiting in waiting { waiting.finish() }
        waiting = []
        return
      }
      try? await Task.sleep(for: Self.step)
    }
  }

  func load() async -> Load {
    var load = Load()
    for room in await directory.all {
      let people = await room.people
      load.rooms += 1
      load.participants += people.participants
      load.viewers += people.viewers
    }
    load.streams = origin.list.count { $0.publish.map { $0.publisher != .job && $0.publisher != .variant } ?? false }
    return load
  }
}
