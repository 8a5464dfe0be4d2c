import Logging
import RoomCluster
import RoomEngine
import RoomLinux
import RoomProtocol
import RoomRTP
import RoomServer

/// Carries out the moves of rooms from this node to others.
struct RoomMoves: RoomMoving {
  /// Maximum time that a move waits for the end of the room's jobs, so that the next node may publish at their URLs.
  private static let jobsTime = Duration.milliseconds(500)
  /// How often a move waits for the store, which gives up after 2 s.
  private static let storeAttempts = 15

  private let directory: RoomDirectory
  private let cluster: Cluster
  private let log: Logger

  init(_ directory: RoomDirectory, _ cluster: Cluster, log: Logger) {
    self.directory = directory
    self.cluster = cluster
    self.log = log
  }

  /// The rooms of this node; two in a PK together.
  var rooms: [[RoomName]] {
    let owned = Set(cluster.node.owned.map(\.room))
    var partners: [RoomName: RoomName] = [:]
    directory.summaries.withLock { summaries in
      for room in owned { partners[room] = summaries[room]?.pk?.room }
    }
    var grouped: Set<RoomName> = []
    return owned.sorted().compactMap { room in
      guard grouped.insert(room).inserted else { return nil }
      guard let partner = partners[room], owned.contains(partner), grouped.insert(partner).inserted else { return [room] }
      return [room, partner]
    }
  }

  /// Takes the moves that are due.
  func due(_ departures: inout Departures, now: Instant) -> [Departures.Move] {
    guard departures.isReady(at: now), let own = cluster.node.incarnation else { return [] }
    var generator = SystemRandomNumberGenerator()
    return departures.takeMoves(of: rooms, among: cluster.node.membership, except: own, now: now, using: &generator)
  }

  /// Whether rooms are left that other nodes could take.
  var isPending: Bool {
    guard let own = cluster.node.incarnation else { return false }
    return !cluster.node.owned.isEmpty && Departures.hasDestination(among: cluster.node.membership, except: own)
  }

  /// Moves rooms to another node, and their clients with them.
  /// - Returns: the rooms that have another owner now.
  func carryOut(_ move: Departures.Move) async -> [RoomName] {
    let begin = Instant.now
    cluster.node.beginMove(of: move.rooms)
    let departed = await depart(move.rooms)
    let stopped = Instant.now
    guard await isStored(move.rooms) else {
      // Another node has them, or will: the clients find it through any node.
      await redirect(departed, to: [:])
      await directory.endMove(of: move.rooms)
      cluster.node.endMove(of: move.rooms, moved: 0)
      return []
    }
    let stored = Instant.now
    let whereabouts = await cluster.give(move.rooms, to: move.destination)
    let kept = whereabouts.compactMap { if case .here = $0.value { $0.key } else { nil } }
    await directory.endMove(of: move.rooms)
    if !kept.isEmpty { await directory.adopt(kept) }
    let moved = whereabouts.compactMapValues { if case .elsewhere(let member) = $0 { member } else { nil } }
    cluster.node.endMove(of: move.rooms, moved: moved.count)
    await redirect(departed, to: moved)
    let now = Instant.now
    for (room, member) in moved {
      log.info(
        "room moved",
        metadata: [
          "room": "\(room)", "node": "\(member.incarnation.node)", "stopMs": "\((stopped - begin) / 1000)",
          "storeMs": "\((stored - stopped) / 1000)", "giveMs": "\((now - stored) / 1000)",
        ])
    }
    return Array(moved.keys)
  }

  /// Stops rooms, and waits until their jobs have ended.
  private func depart(_ names: [RoomName]) async -> [Room] {
    var departed: [Room] = []
    for room in await directory.beginMove(of: names) {
      if await room.depart() == nil { await directory.forget(unmoved: room) } else { departed.append(room) }
    }
    let rooms = departed
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await withTaskGroup(of: Void.self) { jobs in
          for room in rooms { jobs.addTask { await room.isOver() } }
        }
      }
      group.addTask { try? await Task.sleep(for: Self.jobsTime) }
      await group.next()
      group.cancelAll()
    }
    return departed
  }

  /// Waits until all changes of the rooms are stored. Returns false if the node has lost one of them, or the store stays away.
  private func isStored(_ names: [RoomName]) async -> Bool {
    for _ in 0..<Self.storeAttempts {
      if await directory.store?.settled() ?? true { return true }
      guard names.contains(where: { cluster.owns($0) }) else { return false }
      try? await Task.sleep(for: .milliseconds(200))
    }
    return false
  }

  private func redirect(_ rooms: [Room], to owners: [RoomName: ClusterMember]) async {
    for room in rooms {
      await room.redirect(
        EndedData(reason: .serverStopping, redirect: owners[room.name].flatMap { Cluster.signallingURL(of: $0) }))
    }
  }
}
