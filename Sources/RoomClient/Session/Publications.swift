import RoomProtocol
import RoomWebRTC

/// The tracks that a session publishes, one call after the other.
///
/// Confined to the session's actor.
final class Publications {
  private let calls: SessionCalls
  private let media: MediaConnections
  private let store: RoomStateStore
  private var turns = AsyncMutex()
  /// The number of the last message that removed this client from its seat, and with it its tracks.
  private var seatLostAt = 0
  private var publisher: Publisher { media.publisher }

  init(_ calls: SessionCalls, _ media: MediaConnections, _ store: RoomStateStore) {
    self.calls = calls
    self.media = media
    self.store = store
  }

  /// - Parameter sharing: whether to also accept tracks of another room, which continues to send them.
  func publish(_ tracks: [any LocalTrack], sharing: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    guard !tracks.isEmpty else { return }
    await enter()
    defer { turns.leave() }
    var held: [Publisher.ClaimedTrack] = []
    do {
      for track in tracks {
        guard !publisher.holds(track), let line = track.fed?.feed.claim(sharing: sharing) else {
          throw RoomClientError.trackInUse
        }
        held.append(Publisher.ClaimedTrack(track: track, line: line))
      }
      let refused = try await commit(try publisher.propose(adding: held))
      guard refused.isEmpty else {
        let accepted = tracks.filter { track in !refused.contains { $0.track === track } }
        // In a task of its own, because a cancelled task cannot make a call.
        await Task { try? await take(back: accepted, isolation: isolation) }.value
        throw RoomClientError.negotiationFailed("the server rejects the codec of \(refused.map(\.track.tag))")
      }
    } catch {
      for track in held { track.line.release() }
      throw error
    }
  }

  func unpublish(_ tracks: [any LocalTrack], isolation: isolated (any Actor)? = #isolation) async throws {
    await enter()
    defer { turns.leave() }
    guard tracks.allSatisfy({ publisher.holds($0) }) else { throw RoomClientError.trackUnknown }
    try await take(back: tracks)
  }

  /// The published tracks with the room's ids.
  var published: [(track: any LocalTrack, trackId: TrackID)] { publisher.published.map { ($0.track, $0.trackId) } }

  /// Unpublishes all tracks of a kind, or all tracks.
  func unpublish(_ kind: TrackKind?, isolation: isolated (any Actor)? = #isolation) async throws {
    await enter()
    defer { turns.leave() }
    let tracks = publisher.tracks.filter { kind == nil || $0.kind == kind }
    if !tracks.isEmpty { try await take(back: tracks) }
  }

  private func take(back tracks: [any LocalTrack], isolation: isolated (any Actor)? = #isolation) async throws {
    let ids = tracks.compactMap { publisher.trackId(of: $0) }
    let asked = calls.received
    do {
      try await calls.ask(.unpublish(TrackSelection(trackIds: ids)))
    } catch let error as RoomError where error.code == .publishFailed && seatLostAt > asked {
      // The server had already unpublished them.
    }
    publisher.remove(tracks)
    store.change { $0.me?.tracks.removeAll { ids.contains($0.trackId) } }
    if publisher.isEmpty { media.publishRepair.closed() }
  }

  /// Publishes all tracks again over a new transport.
  func republish(keepingIds: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    await enter()
    defer { turns.leave() }
    guard !publisher.isEmpty else { return }
    for track in try await commit(try publisher.proposeRestart(keepingIds: keepingIds)) { track.line.release() }
  }

  /// Sends a proposal to the server. Returns the tracks that it rejected.
  private func commit(
    _ proposal: Publisher.Proposal, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Publisher.ClaimedTrack] {
    let asked = calls.received
    do {
      let (result, answered) = try await calls.numberedRequest(.publish(proposal.params), for: PublishResult.self)
      let generation = publisher.generation
      let refused = try publisher.accept(proposal, result)
      if publisher.generation != generation { media.publishRepair.opened(now: .now) }
      store.change { value in
        for published in result.tracks {
          value.me?.tracks.removeAll { $0.trackId == published.track.trackId }
          value.me?.tracks.append(published.track)
        }
      }
      // The server may have unpublished tracks since the call was sent: all, or those before the answer's.
      if seatLostAt > asked { withdrawn(keeping: seatLostAt > answered ? [] : Set(result.tracks.map(\.track.trackId))) }
      return refused
    } catch let error as NegotiationError {
      publisher.abandon(proposal, uncertain: true)
      throw RoomClientError.negotiationFailed(error.description)
    } catch {
      // A rejected proposal has no effect; one without an answer may have been applied.
      let isUncertain = !(error is RoomError)
      publisher.abandon(proposal, uncertain: isUncertain)
      if isUncertain, publisher.isOpen { media.publishRepair.failed(now: .now) }
      throw error
    }
  }

  private func enter(isolation: isolated (any Actor)? = #isolation) async {
    guard !turns.tryLock() else { return }
    await withCheckedContinuation { turns.wait($0) }
  }

  func mute(_ track: any LocalTrack, _ muted: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    guard let trackId = publisher.trackId(of: track) else { throw RoomClientError.trackUnknown }
    try await mute(trackId: trackId, muted)
  }

  func mute(trackId: TrackID, _ muted: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    try await calls.ask(.mute(MuteParams(trackId: trackId, muted: muted)))
    publisher.muted(trackId: trackId, muted)
  }

  /// Mutes or unmutes all tracks of a kind.
  func mute(_ kind: TrackKind, _ muted: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    for track in publisher.tracks where track.kind == kind { try await mute(track, muted) }
  }

  // MARK: The server's changes

  /// Notes that this client lost its seat, or its tracks.
  func lost(keeping kept: Set<TrackID>) {
    seatLostAt = calls.received
    withdrawn(keeping: kept)
  }

  /// Notes that the server unpublished these tracks of this client.
  func lost(_ trackIds: [TrackID]) { lost(keeping: Set(publisher.published.map(\.trackId)).subtracting(trackIds)) }

  /// Removes the tracks that the server unpublished by itself. The tracks may be published again.
  private func withdrawn(keeping kept: Set<TrackID>) { reportWithdrawn(publisher.withdraw(keeping: kept)) }

  /// Removes all publications: the server no longer knows them, and they must not be published automatically.
  func forgetAll() {
    let ids = publisher.published.map(\.trackId)
    publisher.close()
    reportWithdrawn(ids)
  }

  func reportWithdrawn(_ ids: [TrackID]) {
    guard !ids.isEmpty else { return }
    if publisher.isEmpty { media.publishRepair.closed() }
    store.change { value in value.me?.tracks.removeAll { ids.contains($0.trackId) } }
    store.say(.unpublished(userId: store.userId, trackIds: ids))
  }
}
