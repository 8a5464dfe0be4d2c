import Foundation
import RoomProtocol

extension RoomPK {
  /// Moves into the other room, after `pkBegan`. Only the inviting anchor of a PK with `PKMode.move` can call it.
  ///
  /// The steps are in this order, so that viewers see no gap and both rooms always know where the anchor is:
  /// 1. Join the other room with the PK token that the server sent after `pkBegan`. The own room now treats the anchor as away,
  ///    not as gone.
  /// 2. Publish this client's tracks there. For a moment both rooms receive each frame.
  /// 3. Start a merge job for each forward job of its own tracks that this client started. The URL is the same, with a
  ///    `serialnum` larger by one. Wait until these jobs have taken over.
  /// 4. Leave the own room, whose ``Room`` is then closed. Seat 0 there is reserved during the PK.
  ///
  /// Meanwhile the own room's audience watches the broadcast. Jobs that the app's server started must be moved by the app's
  /// server.
  /// - Parameter plan: the split screen and the options of the move.
  /// - Returns: the other room. Its ``Room/pk`` has ``returnHome(token:)``.
  /// - Throws: ``RoomClientError/cannotMove(_:)`` if there is no such PK, or if a job's URL belongs to the room; else as
  ///   ``Room/connect(to:token:options:)``, ``Room/publish(_:)`` and ``RoomJobs/start(_:)-(MergeParams)``. All steps are undone: the anchor
  ///   is still in its own room. If it had already joined the other room, leaving that room has ended the PK.
  public func move(_ plan: PKMove = PKMove()) async throws -> Room {
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
        _ = try await away.startMerge(broadcast.away)
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

  /// Returns to the own room after ``move(_:)``: after `pkEnded`, or earlier, which ends the PK.
  ///
  /// Joins the own room, takes its seat and publishes the tracks. Ends the PK if it is still on. Starts the forward jobs again,
  /// on the same URLs with a `serialnum` larger by one. Waits until they have taken over, and leaves the other room.
  ///
  /// Works also if the other room was closed or the anchor was kicked from it. A job that the server rejects results in a
  /// `jobEnded` event with `failed` in the own room.
  /// - Parameter token: a token for the own room; nil for the one used before.
  /// - Returns: the own room.
  /// - Throws: ``RoomClientError/notAway`` if this client has not moved here; else as ``Room/connect(to:token:options:)`` and
  ///   ``Room/publish(_:)``. The anchor is still in the other room then, and may try again.
  public func returnHome(token: String? = nil) async throws -> Room {
    guard let stay else { throw RoomClientError.notAway }
    var entry = stay.home
    if let token { entry.token = token }
    let isOver = session.store.value.state.isClosed
    let tracks = isOver ? stay.published.map(\.track) : await session.published.map(\.track)
    let events = session.store.events.all.watch()
    let home = try RoomSession(entry)
    try await home.connect()
    do {
      if let seat = stay.seat, RoomSeats(session: home).mine == nil {
        // Another user may be on the seat by now; the app then decides what to do.
        _ = try? await RoomSeats(session: home).take(seat)
      }
      try await home.publish(tracks, sharing: true)
    } catch {
      await home.leave()
      throw error
    }
    // Ended here, so that the other broadcast changes back before this anchor's picture disappears.
    if !isOver, current != nil { try? await quit() }
    let ids = stay.ids(await home.published)
    for broadcast in stay.broadcasts {
      let hasBegun = await home.startForwardAgain(broadcast.back(renaming: ids))
      if !hasBegun { try? await session.stopJob(broadcast.away.jobId) }
    }
    await session.store.waitForEnd(of: stay.broadcasts.map(\.away.jobId), in: events, within: stay.takeoverTimeout)
    await session.leave()
    return Room(session: home)
  }

  /// Returns the PK for which this client must move, and its token, which follows `pkBegan`.
  private func wayOut() async throws -> (PKInfo, token: String) {
    guard let pk = current else { throw RoomClientError.cannotMove("the room is not in a PK") }
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
  fileprivate func waitForEnd(of jobs: [JobID], in events: AsyncStream<RoomEvent>, within time: Duration) async {
    guard runsAny(of: jobs) else { return }
    await events.first(within: time) { event in
      if case .jobEnded = event, !self.runsAny(of: jobs) { () } else { nil }
    }
  }
}
