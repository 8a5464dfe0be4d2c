import Foundation
import RoomProtocol

/// The move of an anchor into the other room of a PK: the steps of ``RoomPK/move(_:)``.
struct AnchorMove: Sendable {
  /// The session of the own room.
  let session: RoomSession
  let plan: PKMove

  /// Moves. Returns the other room.
  func run() async throws -> Room {
    let (pk, token) = try await wayOut()
    var broadcasts: [MovedBroadcast] = []
    for job in await session.ownForwards {
      broadcasts.append(try plan.broadcast(job, in: pk, id: "pk-\(UUID().uuidString)"))
    }
    let published = await session.published
    let seat = RoomSeats(session: session).mine?.index
    let events = session.store.events.all.watch()
    let away = try RoomSession(
      JoinRequest(url: session.entry.url, token: token, options: plan.options ?? session.entry.options))
    try await away.connect()
    var begun: [MovedBroadcast] = []
    do {
      try await away.publish(published.map(\.track), sharing: true)
      for broadcast in broadcasts {
        _ = try await away.request(.startMerge(broadcast.away), for: JobInfo.self)
        begun.append(broadcast)
      }
    } catch {
      // In a task of its own, because a cancelled task cannot make a call.
      let moved = begun
      await Task { for broadcast in moved { await takeBack(broadcast, from: away) } }.value
      await away.leave()
      throw error
    }
    await session.store.waitForEnd(of: broadcasts.map(\.home.jobId), in: events, within: plan.takeoverTimeout)
    await session.leave()
    return Room(
      session: away,
      stay: PKStay(
        home: session.entry, seat: seat, peer: pk.userId, published: published, broadcasts: broadcasts,
        takeoverTimeout: plan.takeoverTimeout))
  }

  /// Returns the PK for which this client must move, and its token, which follows `pkBegan`.
  private func wayOut() async throws -> (PKInfo, token: String) {
    guard let pk = session.store.value.room?.pk else { throw RoomClientError.cannotMove("the room is not in a PK") }
    guard pk.mode == .move else { throw RoomClientError.cannotMove("both anchors stay in their rooms in this PK") }
    guard pk.inviter, pk.host == session.store.value.me?.userId else {
      throw RoomClientError.cannotMove("only \(pk.inviter ? pk.host : pk.userId) can move")
    }
    let events = session.store.events.all.watch()
    if let token = session.store.value.pkToken, token.pkId == pk.pkId { return (pk, token.token) }
    let came = await events.first(within: session.entry.options.timeout) { event in
      if case .pkToken(let token) = event, token.pkId == pk.pkId { token.token } else { nil }
    }
    try Task.checkCancellation()
    guard let came else { throw RoomClientError.timedOut("pkToken") }
    return (pk, came)
  }

  /// Restores the broadcast in the own room.
  private func takeBack(_ broadcast: MovedBroadcast, from away: RoomSession) async {
    let jobId = broadcast.home.jobId
    if session.store.runsAny(of: [jobId]) { try? await away.stopJob(broadcast.away.jobId) }
    // A job with a larger number has used its URL since.
    if session.store.runsAny(of: [jobId]) {
      await session.setURL(broadcast.back.publishUrl, ofForward: jobId)
    } else {
      _ = try? await session.startForward(broadcast.back)
    }
  }
}

extension RoomStateStore {
  /// Waits until none of the jobs is running, or the room is closed.
  func waitForEnd(of jobs: [JobID], in events: AsyncStream<RoomEvent>, within time: Duration) async {
    guard runsAny(of: jobs) else { return }
    await events.first(within: time) { event in
      if case .jobEnded = event, !self.runsAny(of: jobs) { () } else { nil }
    }
  }
}
