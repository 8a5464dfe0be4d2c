import Foundation
import RoomProtocol

extension RoomPK {
  /// Moves into the other room: for the inviting anchor of a PK whose way is ``PKWay/move``, after `pkBegan`.
  ///
  /// In this order, so that viewers see no gap and both rooms know at each moment where the anchor is:
  /// 1. joins the other room by the PK token, which the server gave with `pkBegan`. From here on that room has its guest, and the own
  ///    one knows the anchor to be away and not gone;
  /// 2. publishes there what is published here; for a moment both rooms get each frame;
  /// 3. begins a merge job for each forward job of its own tracks that this client began here, on the same URL with a `serialnum` larger
  ///    by one, and waits until these have taken over;
  /// 4. leaves the own room, whose `Room` is closed then. Seat 0 there is kept as long as the PK is on.
  ///
  /// The own room's audience is with the broadcast meanwhile. Jobs that the app's server began are for it to move.
  /// - Returns: the other room. Its ``Room/pk`` has ``returnHome(token:)``.
  /// - Throws: `RoomClientError.cannotMove` where there is no such PK, or a job's URL belongs to the room; else as
  ///   ``Room/connect(to:token:options:)``, ``Room/publish(_:)`` and ``Room/startMerge(_:)``. What was begun is taken back: the anchor
  ///   is in its own room as before. Where it had joined the other already, leaving that has ended the PK.
  public func move(_ plan: PKMove = PKMove()) async throws -> Room {
    let (pk, token) = try await wayOut()
    var broadcasts: [MovedBroadcast] = []
    for job in await session.ownForwards {
      broadcasts.append(try plan.broadcast(job, in: pk, id: "pk-\(UUID().uuidString)"))
    }
    let published = await session.published
    let seat = RoomSeats(session: session).mine?.index
    let events = session.board.watch()
    let away = try RoomSession(
      RoomEntry(url: session.entry.url, token: token, options: plan.options ?? session.entry.options))
    try await away.connect()
    var begun: [MovedBroadcast] = []
    do {
      try await away.publish(published.map(\.track), sharing: true)
      for broadcast in broadcasts {
        _ = try await away.startMerge(broadcast.away)
        begun.append(broadcast)
      }
    } catch {
      for broadcast in begun { await takeBack(broadcast, from: away) }
      await away.leave()
      throw error
    }
    await session.board.waitForEnd(of: broadcasts.map(\.home.jobId), in: events, seconds: plan.patience)
    await session.leave()
    return Room(
      session: away,
      visit: PKVisit(
        home: session.entry, seat: seat, peer: pk.userId, published: published, broadcasts: broadcasts,
        patience: plan.patience))
  }

  /// Returns into the own room after a ``move(_:)``: after `pkEnded`, or before, which ends the PK.
  ///
  /// In this order: joins the own room, takes its seat again, publishes there what is published here, ends the PK where it is still on,
  /// begins the forward jobs anew, on the same URLs with a `serialnum` larger by one, waits until these have taken over, and leaves the
  /// other room. Where the anchor was thrown out of the other room, or that was closed, it returns all the same. A job that the server
  /// does not begin again comes as `jobEnded` with `failed`, in the own room.
  /// - Parameter token: for the own room; the one that it was joined with before if nil.
  /// - Returns: the own room.
  /// - Throws: `RoomClientError.notAway` where this client has not moved here; else as ``Room/connect(to:token:options:)`` and
  ///   ``Room/publish(_:)``. The anchor is still where it was then, and may try again.
  public func returnHome(token: String? = nil) async throws -> Room {
    guard let visit else { throw RoomClientError.notAway }
    var entry = visit.home
    if let token { entry.token = token }
    let isOver = session.board.value.state.isClosed
    let tracks = isOver ? visit.published.map(\.track) : await session.published.map(\.track)
    let events = session.board.watch()
    let home = try RoomSession(entry)
    try await home.connect()
    do {
      if let seat = visit.seat, RoomSeats(session: home).mine == nil {
        // Somebody else may sit there by now: then it is for the app to say what is to be.
        _ = try? await RoomSeats(session: home).take(seat)
      }
      try await home.publish(tracks, sharing: true)
    } catch {
      await home.leave()
      throw error
    }
    // So that the other broadcast turns back before this anchor's picture is gone.
    if !isOver, current != nil { try? await quit() }
    let ids = visit.ids(await home.published)
    for broadcast in visit.broadcasts {
      let hasBegun = await home.startForwardAgain(broadcast.back(renaming: ids))
      if !hasBegun { try? await session.stopJob(broadcast.away.jobId) }
    }
    await session.board.waitForEnd(of: visit.broadcasts.map(\.away.jobId), in: events, seconds: visit.patience)
    await session.leave()
    return Room(session: home)
  }

  /// The PK for which this client is to move, and its token, which comes right behind `pkBegan`.
  private func wayOut() async throws -> (PKInfo, token: String) {
    guard let pk = current else { throw RoomClientError.cannotMove("the room is in no PK") }
    guard pk.way == .move else { throw RoomClientError.cannotMove("both anchors stay where they are in this PK") }
    guard pk.inviter, pk.host == session.board.value.me?.userId else {
      throw RoomClientError.cannotMove("it is for \(pk.inviter ? pk.host : pk.userId) to move")
    }
    let events = session.board.watch()
    if let token = session.board.value.pkToken, token.pkId == pk.pkId { return (pk, token.token) }
    let came = await events.first(within: session.entry.options.timeout) { event in
      if case .pkToken(let token) = event, token.pkId == pk.pkId { token.token } else { nil }
    }
    guard let came else { throw RoomClientError.timedOut("pkToken") }
    return (pk, came)
  }

  /// The broadcast goes on as it was.
  private func takeBack(_ broadcast: MovedBroadcast, from away: RoomSession) async {
    let jobId = broadcast.home.jobId
    if session.board.runsAny(of: [jobId]) { try? await away.stopJob(broadcast.away.jobId) }
    // Its URL has had a larger number since.
    if session.board.runsAny(of: [jobId]) {
      await session.setURL(broadcast.back.publishUrl, ofForward: jobId)
    } else {
      _ = try? await session.startForward(broadcast.back)
    }
  }
}

extension RoomBoard {
  /// Waits until none of the jobs runs any more, or the room is closed.
  fileprivate func waitForEnd(of jobs: [JobID], in events: AsyncStream<RoomEvent>, seconds: Double) async {
    guard runsAny(of: jobs) else { return }
    await events.first(within: seconds) { event in
      if case .jobEnded = event, !self.runsAny(of: jobs) { () } else { nil }
    }
  }

  fileprivate func runsAny(of jobs: [JobID]) -> Bool { value.room?.jobs.contains { jobs.contains($0.jobId) } ?? false }
}
