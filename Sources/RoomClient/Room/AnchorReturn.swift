import RoomProtocol

/// The return of an anchor from the other room of a PK: the steps of ``RoomPK/returnHome(token:)``.
struct AnchorReturn: Sendable {
  /// The session of the other room.
  let session: RoomSession
  let stay: PKStay

  /// Returns to the own room.
  /// - Parameter token: a token for the own room; nil for the one used before.
  func run(token: String?) async throws -> Room {
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
    if !isOver, session.store.value.room?.pk != nil { try? await RoomPK(session: session, stay: stay).quit() }
    let ids = stay.ids(await home.published)
    for broadcast in stay.broadcasts {
      let hasBegun = await home.startForwardAgain(broadcast.back(renaming: ids))
      if !hasBegun { try? await session.stopJob(broadcast.away.jobId) }
    }
    await session.store.waitForEnd(of: stay.broadcasts.map(\.away.jobId), in: events, within: stay.takeoverTimeout)
    await session.leave()
    return Room(session: home)
  }
}
